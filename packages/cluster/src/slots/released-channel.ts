/**
 * Listens for freed slots and for replicas that come and go. A connection of its own; whenever it is subscribed anew,
 * everything that waits is woken, because announcements may have been missed. Losing it costs nothing but time: denied
 * claims are tried again anyway.
 */
import type { RedisClient } from "../redis/connect";
import type { Keys } from "../redis/keys";
import { poolNamed } from "./slot-fields";
import type { SlotAnnouncements } from "./slot-store";

/**
 * Subscribes on `client`, which can send nothing else from here on, and tells the subscriber for as long as it lives.
 */
export function listenForReleased(client: RedisClient, keys: Keys, subscriber: SlotAnnouncements): void {
  client.on("ready", () => {
    client.subscribe(keys.released, keys.membership).then(
      () => {
        subscriber.onReleased(null);
        subscriber.onMembership();
      },
      // The connection broke again: the next `ready` subscribes.
      () => undefined,
    );
  });
  client.on("message", (channel: string, message: string) => {
    if (channel === keys.membership) subscriber.onMembership();
    else subscriber.onReleased(message === "" ? null : poolNamed(message));
  });
}
