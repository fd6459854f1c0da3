"""A minimal bot on grpcio alone, for the example `instant_server` of the Rust SDK.

The benchmark in `.ci/languages` compares the package with it.
"""

import os
from queue import SimpleQueue

import grpc

from bridgemaster.v1.play_pb2 import Decision, Hello, PlayRequest
from bridgemaster.v1.play_pb2_grpc import PlayServiceStub


def main() -> None:
    """Answer requests until the match is over."""
    server = os.environ["BRIDGEMASTER_SERVER"].removeprefix("http://")
    requests: SimpleQueue[PlayRequest | None] = SimpleQueue()
    requests.put(PlayRequest(hello=Hello()))
    with grpc.insecure_channel(server, options=[("grpc.enable_http_proxy", 0)]) as channel:
        for response in PlayServiceStub(channel).Play(iter(requests.get, None)):
            if response.HasField("decision_request"):
                message = response.decision_request
                decision = Decision(request_id=message.request_id, index=message.legal_count // 2)
                requests.put(PlayRequest(decision=decision))
            elif response.HasField("match_ended"):
                requests.put(None)


if __name__ == "__main__":
    main()
