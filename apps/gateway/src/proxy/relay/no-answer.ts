/** What a client is told when no backend gave a usable answer. Says what happened, never which host or why it thinks so. */
import type { Refusal } from "../../error-response";
import type { NoAnswer } from "../../upstream/upstream-call";
import { NO_SERVERS } from "../stages/admit";

/** An answer that came but cannot be one. */
export const UNUSABLE_ANSWER: Refusal = {
  code: "upstream_failed",
  message: "The model's server sent an answer that is broken or not in the protocol's form. Try again.",
};

/** An answer that came and could not be put into the caller's protocol within its memory. */
export const TOO_MUCH_TO_KEEP: Refusal = {
  code: "upstream_failed",
  message:
    "The model's server sent more than the gateway may keep while it puts an answer into this protocol's form. Ask for " +
    "a shorter answer, or for tools one at a time (disable_parallel_tool_use).",
};

export function noAnswerRefusal({ reason }: NoAnswer): Refusal {
  switch (reason) {
    case "connect_timeout":
    case "first_byte_timeout":
    case "idle_timeout":
    case "total_timeout":
      return { code: "upstream_timeout", message: "The model's server did not answer in time. Try again later." };
    case "no_endpoint":
      return NO_SERVERS;
    case "credential":
      return failed("The model's server did not accept the gateway's credential. An administrator must correct it.");
    case "redirect":
      return failed("The model's server answered with a redirect. An administrator must correct its base URL.");
    case "address_refused":
      return failed(
        "The model's server is at an address the gateway does not connect to. An administrator must change it.",
      );
    case "bad_answer":
    case "oversized_error":
      return UNUSABLE_ANSWER;
    case "connect_failed":
    case "broken":
    case "aborted":
      return failed("The model's server could not be reached or broke off. Try again.");
  }
}

function failed(message: string): Refusal {
  return { code: "upstream_failed", message };
}
