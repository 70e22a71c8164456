// Made by scripts/generate from proto/. Do not edit.

package import BrasaGRPC

/// Every method of `grpc.health.v1.Health`.
package enum HealthMethods {
    package static let service = "grpc.health.v1.Health"

    package static let check = GRPCMethodDescriptor(
        service: Self.service,
        method: "Check",
        kind: .unary
    )
    package static let watch = GRPCMethodDescriptor(
        service: Self.service,
        method: "Watch",
        kind: .serverStreaming
    )

    package static let all: [GRPCMethodDescriptor] = [
        check,
        watch,
    ]
}
