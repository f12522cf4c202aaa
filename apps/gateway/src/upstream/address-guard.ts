/**
 * Where the gateway may connect to. Endpoint addresses come from administrators, so they are bounded rather than trusted:
 * link-local addresses and those where clouds serve machine credentials are never reached, private networks only while
 * they are not blocked. The check is made on the addresses a name resolves to, at connect time, so a name that changes its
 * answer gains nothing.
 */
import { type LookupAddress, lookup as systemLookup } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import ipaddr from "ipaddr.js";

export interface AddressRules {
  readonly blockPrivateNetworks: boolean;
}

export class AddressRefused extends Error {
  readonly code = "OBLETH_ADDRESS_REFUSED";
  constructor(host: string) {
    super(`the address of ${host} is in a range the gateway does not connect to`);
    this.name = "AddressRefused";
  }
}

/** Credential services of the large clouds that lie outside the link-local ranges. */
const METADATA_ADDRESSES = new Set(["100.100.100.200", "192.0.0.192", "fd00:ec2::254", "168.63.129.16"]);

const NEVER = new Set(["linkLocal", "multicast", "broadcast", "unspecified", "reserved"]);
const PRIVATE = new Set(["private", "loopback", "uniqueLocal", "carrierGradeNat", "deprecatedSiteLocal"]);

/** Whether an address may be connected to; anything that is not an IP address may not. */
export function isAddressAllowed(address: string, rules: AddressRules): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  const embedded = embeddedIpv4(parsed);
  if (embedded !== null) return isAddressAllowed(embedded, rules);
  if (METADATA_ADDRESSES.has(parsed.toString())) return false;
  const range = parsed.range();
  if (NEVER.has(range)) return false;
  return !(rules.blockPrivateNetworks && PRIVATE.has(range));
}

/** An IPv4 address carried inside a translation or tunnel address; null when there is none. */
function embeddedIpv4(address: ipaddr.IPv4 | ipaddr.IPv6): string | null {
  if (!(address instanceof ipaddr.IPv6)) return null;
  const range = address.range();
  const bytes = address.toByteArray();
  if (range === "rfc6052" || range === "rfc6145" || isIpv4Compatible(bytes)) return bytes.slice(12).join(".");
  if (range === "6to4") return bytes.slice(2, 6).join(".");
  return null;
}

/** `::a.b.c.d`, long out of use; `::` and `::1` are addresses of their own. */
function isIpv4Compatible(bytes: readonly number[]): boolean {
  return bytes.slice(0, 12).every((byte) => byte === 0) && bytes.slice(12, 15).some((byte) => byte !== 0);
}

/** Why a base URL cannot be used; null when it can. Names are judged later, once resolved. */
export function baseUrlProblem(base: string, rules: AddressRules): string | null {
  let url: URL;
  try {
    url = new URL(base);
  } catch {
    return "is not a URL";
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") return "must begin with http:// or https://";
  if (url.username !== "" || url.password !== "") return "must not hold a user name or password";
  const host = url.hostname.replace(/^\[|\]$/g, "");
  if (isIP(host) !== 0 && !isAddressAllowed(host, rules)) return "is an address the gateway does not connect to";
  return null;
}

/** A `lookup` for sockets that leaves out addresses that are not allowed and fails when none is left. */
export function guardedLookup(rules: AddressRules): LookupFunction {
  return (hostname, options, callback) => {
    systemLookup(hostname, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
      if (error !== null) {
        callback(error, "", 0);
        return;
      }
      const allowed = addresses.filter(({ address }) => isAddressAllowed(address, rules));
      const first = allowed[0];
      if (first === undefined) callback(new AddressRefused(hostname), "", 0);
      else if (options.all === true) callback(null, allowed);
      else callback(null, first.address, first.family);
    });
  };
}
