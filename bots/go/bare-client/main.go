// A minimal bot on grpc-go alone, for the example `instant_server` of the Rust SDK. The benchmark
// in `.ci/languages` compares the library with it.
package main

import (
	"context"
	"log"
	"os"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	v1 "github.com/bridgemaster-games/bridgemaster/bots/go/gen/bridgemaster/v1"
)

func main() {
	if err := answer(context.Background()); err != nil {
		log.Fatal(err)
	}
}

// answer answers requests until the match has ended.
func answer(ctx context.Context) error {
	server := strings.TrimPrefix(os.Getenv("BRIDGEMASTER_SERVER"), "http://")
	connection, err := grpc.NewClient(
		"passthrough:///"+server, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	defer func() { _ = connection.Close() }()
	stream, err := v1.NewPlayServiceClient(connection).Play(ctx)
	if err != nil {
		return err
	}
	hello := &v1.PlayRequest{Message: &v1.PlayRequest_Hello{Hello: &v1.Hello{}}}
	for message := hello; ; {
		if message != nil {
			if err := stream.Send(message); err != nil {
				return err
			}
		}
		response, err := stream.Recv()
		if err != nil {
			return err
		}
		message = nil
		if request := response.GetDecisionRequest(); request != nil {
			choice := &v1.Decision_Index{Index: request.GetLegalCount() / 2}
			decision := &v1.Decision{RequestId: request.GetRequestId(), Choice: choice}
			message = &v1.PlayRequest{Message: &v1.PlayRequest_Decision{Decision: decision}}
		}
		if response.GetMatchEnded() != nil {
			return stream.CloseSend()
		}
	}
}
