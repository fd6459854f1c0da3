// The filters of the list of matches, in the address and in requests.

import { create } from "@bufbuild/protobuf";
import { MatchState } from "../../gen/bridgemaster/v1/match_pb.ts";
import { type MatchFilter, MatchFilterSchema } from "../../gen/bridgemaster/v1/match_service_pb.ts";

/** The states to filter by, by their name in the address. */
export const STATES: Readonly<Record<string, MatchState>> = {
  waiting: MatchState.WAITING,
  running: MatchState.RUNNING,
  ended: MatchState.ENDED,
  cancelled: MatchState.CANCELLED,
};

/** Parses the filter in an address. A label is `NAME=VALUE`. */
export function filterOf(query: URLSearchParams): MatchFilter {
  const label = query.get("label") ?? "";
  const [name = "", ...value] = label.split("=");
  const annulled = query.get("annulled");
  return create(MatchFilterSchema, {
    state: STATES[query.get("state") ?? ""] ?? MatchState.UNSPECIFIED,
    gameId: query.get("game") ?? "",
    botName: query.get("bot") ?? "",
    maker: query.get("maker") ?? "",
    groupId: query.get("group") ?? "",
    labels: name === "" ? {} : { [name]: value.join("=") },
    ...(annulled === "yes" || annulled === "no" ? { annulled: annulled === "yes" } : {}),
  });
}
