/** The tests' Redis from outside, as whoever operates it would touch it. The gateway itself reaches it by its own package. */
import { once } from "node:events";
import { connect } from "node:net";

const FORGET = "for _, key in ipairs(redis.call('KEYS', ARGV[1])) do redis.call('DEL', key) end return 1";

/** Removes every key of this prefix, as a flush would if the server were one installation's alone. */
export async function flushKeys(url: string, prefix: string): Promise<void> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port || 6379), hostname);
  await once(socket, "connect");
  const words = ["EVAL", FORGET, "0", `${prefix}*`];
  socket.write(`*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join("")}`);
  const [answer] = (await once(socket, "data")) as [Buffer];
  socket.destroy();
  if (!answer.toString().startsWith(":1")) throw new Error(`Redis answered ${answer.toString()}`);
}
