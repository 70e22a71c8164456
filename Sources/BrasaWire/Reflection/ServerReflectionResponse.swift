internal import BrasaDocuments
package import BrasaMessages
internal import BrasaStatus
internal import CBrasaFirestoreV1
package import NIOCore

extension ServerReflectionResponse {
    package init(decoding buffer: ByteBuffer) throws(WireError) {
        self = try EnvelopeDecoder.decode(buffer) {
            (envelope: ServerReflectionResponseEnvelope, _) throws(WireError) in
            let request = envelope.original_request?.pointee
            let read = try WireError.wrapping { () throws(DocumentError) in
                (try request.map(ServerReflectionRequest.init), try Answer(envelope))
            }
            guard let request = read.0, let answer = read.1 else { throw .malformed }
            return Self(to: request, answer)
        }
    }

    package func encode(into buffer: inout ByteBuffer) {
        self.write(into: &buffer)
    }
}

extension ServerReflectionResponse.Answer {
    fileprivate init?(_ envelope: ServerReflectionResponseEnvelope) throws(DocumentError) {
        switch envelope.message_response_case {
        case BRASA__WIRE__SERVER_REFLECTION_RESPONSE__MESSAGE_RESPONSE_FILE_DESCRIPTOR_RESPONSE:
            guard let answer = envelope.file_descriptor_response?.pointee else { return nil }
            self = .files(repeated(answer.n_file_descriptor_proto, answer.file_descriptor_proto).map(\.array))
        case BRASA__WIRE__SERVER_REFLECTION_RESPONSE__MESSAGE_RESPONSE_ALL_EXTENSION_NUMBERS_RESPONSE:
            guard let answer = envelope.all_extension_numbers_response?.pointee else { return nil }
            self = .extensionNumbers(
                message: try answer.base_type_name.string("base_type_name"),
                repeated(answer.n_extension_number, answer.extension_number)
            )
        case BRASA__WIRE__SERVER_REFLECTION_RESPONSE__MESSAGE_RESPONSE_LIST_SERVICES_RESPONSE:
            guard let answer = envelope.list_services_response?.pointee else { return nil }
            self = .services(try names(answer.n_service, answer.service))
        case BRASA__WIRE__SERVER_REFLECTION_RESPONSE__MESSAGE_RESPONSE_ERROR_RESPONSE:
            guard let answer = envelope.error_response?.pointee else { return nil }
            self = .failure(
                StatusCode(rawValue: Int(answer.error_code)) ?? .unknown,
                try answer.error_message.string("error_message")
            )
        default:
            return nil
        }
    }
}

extension ServerReflectionResponse: WireMessage {
    func encode(to sink: inout WireSink) {
        sink.write(1, string: self.request.host)
        sink.keep(2, self.request)
        switch self.answer {
        case .files(let files): sink.keep(4, FilesMessage(files: files))
        case .extensionNumbers(let message, let numbers):
            sink.keep(5, ExtensionNumbersMessage(message: message, numbers: numbers))
        case .services(let names): sink.keep(6, ServicesMessage(names: names))
        case .failure(let code, let message): sink.keep(7, StatusMessage(status: Status(code, message)))
        }
    }

    private struct FilesMessage: WireMessage {
        let files: [[UInt8]]

        func encode(to sink: inout WireSink) {
            for file in self.files { sink.keep(1, bytes: file) }
        }
    }

    private struct ExtensionNumbersMessage: WireMessage {
        let message: String
        let numbers: [Int32]

        func encode(to sink: inout WireSink) {
            sink.write(1, string: self.message)
            sink.write(2, packed: self.numbers)
        }
    }

    private struct ServicesMessage: WireMessage {
        let names: [String]

        func encode(to sink: inout WireSink) {
            for name in self.names { sink.keep(1, ServiceMessage(name: name)) }
        }
    }

    private struct ServiceMessage: WireMessage {
        let name: String

        func encode(to sink: inout WireSink) {
            sink.write(1, string: self.name)
        }
    }
}
