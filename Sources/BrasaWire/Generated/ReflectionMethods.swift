// Made by scripts/generate from proto/. Do not edit.

package import BrasaGRPC

/// Every method of `grpc.reflection.v1.ServerReflection`.
package enum ReflectionMethods {
    package static let service = "grpc.reflection.v1.ServerReflection"

    package static let serverReflectionInfo = GRPCMethodDescriptor(
        service: Self.service,
        method: "ServerReflectionInfo",
        kind: .bidirectional
    )

    package static let all: [GRPCMethodDescriptor] = [
        serverReflectionInfo
    ]
}
