import BrasaGRPC
import BrasaMessages
package import BrasaService
import BrasaWire
import NIOCore

// The services beside the database's.

extension GRPCDoor {
    package mutating func add(_ admin: AdminService) {
        self.unary(
            AdminMethods.listIndexes,
            messageBytesMax: RequestLimits.names,
            decode: { _ in ListIndexesRequest() },
            { admin.listIndexes($0, for: $1) }
        )
    }

    package mutating func add(_ health: HealthService) {
        self.unary(
            HealthMethods.check,
            messageBytesMax: RequestLimits.health,
            decode: { message throws(WireError) in try HealthCheckRequest(decoding: message) },
            { health.check($0, for: $1) }
        )
        self.serverStreaming(
            HealthMethods.watch,
            messageBytesMax: RequestLimits.health,
            decode: { message throws(WireError) in try HealthCheckRequest(decoding: message) },
            { health.watch($0, for: $1) }
        )
    }

    /// The services that it lists are those that were added by now, so this comes last.
    package mutating func add(_ reflection: ReflectionService) {
        let versions = [ReflectionMethods.serverReflectionInfo, ReflectionAlphaMethods.serverReflectionInfo]
        let services = self.methods.services + versions.map(\.service)
        for version in versions {
            self.bidirectional(
                version,
                messageBytesMax: RequestLimits.reflection,
                decode: { message, _ throws(WireError) in try ServerReflectionRequest(decoding: message) },
                { reflection.serverReflectionInfo(of: services, for: $0) }
            )
        }
    }
}
