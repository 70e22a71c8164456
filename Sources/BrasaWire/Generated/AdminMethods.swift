// Made by scripts/generate from proto/. Do not edit.

package import BrasaGRPC

/// Every method of `brasa.admin.v1.Admin`.
package enum AdminMethods {
    package static let service = "brasa.admin.v1.Admin"

    package static let listIndexes = GRPCMethodDescriptor(
        service: Self.service,
        method: "ListIndexes",
        kind: .unary
    )

    package static let all: [GRPCMethodDescriptor] = [
        listIndexes
    ]
}
