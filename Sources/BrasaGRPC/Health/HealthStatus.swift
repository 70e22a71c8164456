/// `grpc.health.v1.HealthCheckResponse.ServingStatus`, by its numbers on the wire.
package enum HealthStatus: UInt64, Sendable, Hashable {
    case unknown = 0
    case serving = 1
    case notServing = 2
    /// Only in answers to Watch: nobody has set the service's status.
    case serviceUnknown = 3
}

/// `HealthCheckRequest { 1 service string }` and `HealthCheckResponse { 1 status enum }`.
enum HealthMessages {
    static func service(ofRequest message: [UInt8]) throws(ProtobufReader.Malformed) -> String {
        var service = ""
        var reader = ProtobufReader(message[...])
        while let (field, value) = try reader.next() {
            if field == 1, case .bytes(let bytes) = value { service = String(decoding: bytes, as: UTF8.self) }
        }
        return service
    }

    static func response(_ status: HealthStatus) -> [UInt8] {
        var writer = ProtobufWriter()
        writer.write(1, varint: status.rawValue)
        return writer.bytes
    }
}
