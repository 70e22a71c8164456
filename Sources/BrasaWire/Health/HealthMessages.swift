internal import BrasaDocuments
package import BrasaMessages
internal import CBrasaFirestoreV1
package import NIOCore

extension HealthCheckRequest {
    package init(decoding buffer: ByteBuffer) throws(WireError) {
        self = try EnvelopeDecoder.decode(buffer) { (envelope: HealthCheckRequestEnvelope, _) throws(WireError) in
            try WireError.wrapping { () throws(DocumentError) in
                Self(service: try envelope.service.string("service"))
            }
        }
    }

    package func encode(into buffer: inout ByteBuffer) {
        self.write(into: &buffer)
    }
}

extension HealthCheckRequest: WireMessage {
    func encode(to sink: inout WireSink) {
        sink.write(1, string: self.service)
    }
}

extension HealthCheckResponse {
    package init(decoding buffer: ByteBuffer) throws(WireError) {
        self = try EnvelopeDecoder.decode(buffer) { (envelope: HealthCheckResponseEnvelope, _) throws(WireError) in
            Self(status: ServingStatus(rawValue: envelope.status) ?? .unknown)
        }
    }

    package func encode(into buffer: inout ByteBuffer) {
        self.write(into: &buffer)
    }
}

extension HealthCheckResponse: WireMessage {
    func encode(to sink: inout WireSink) {
        sink.write(1, int32: self.status.rawValue)
    }
}
