internal import BrasaDocuments
package import BrasaMessages
internal import CBrasaFirestoreV1
package import NIOCore

extension ServerReflectionRequest {
    package init(decoding buffer: ByteBuffer) throws(WireError) {
        self = try EnvelopeDecoder.decode(buffer) {
            (envelope: ServerReflectionRequestEnvelope, _) throws(WireError) in
            try WireError.wrapping { () throws(DocumentError) in try Self(envelope) }
        }
    }

    init(_ envelope: ServerReflectionRequestEnvelope) throws(DocumentError) {
        self.init(host: try envelope.host.string("host"), question: try Question(envelope))
    }

    package func encode(into buffer: inout ByteBuffer) {
        self.write(into: &buffer)
    }
}

extension ServerReflectionRequest: WireMessage {
    func encode(to sink: inout WireSink) {
        sink.write(1, string: self.host)
        switch self.question {
        case .fileByName(let name): sink.keep(3, string: name)
        case .fileContainingSymbol(let symbol): sink.keep(4, string: symbol)
        case .fileContainingExtension(let message, let number):
            sink.keep(5, ExtensionMessage(message: message, number: number))
        case .extensionNumbers(let message): sink.keep(6, string: message)
        case .services(let text): sink.keep(7, string: text)
        case nil: break
        }
    }

    private struct ExtensionMessage: WireMessage {
        let message: String
        let number: Int32

        func encode(to sink: inout WireSink) {
            sink.write(1, string: self.message)
            sink.write(2, int32: self.number)
        }
    }
}

extension ServerReflectionRequest.Question {
    fileprivate init?(_ envelope: ServerReflectionRequestEnvelope) throws(DocumentError) {
        switch envelope.message_request_case {
        case BRASA__WIRE__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_FILE_BY_FILENAME:
            self = .fileByName(try envelope.file_by_filename.string("file_by_filename"))
        case BRASA__WIRE__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_FILE_CONTAINING_SYMBOL:
            self = .fileContainingSymbol(try envelope.file_containing_symbol.string("file_containing_symbol"))
        case BRASA__WIRE__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_FILE_CONTAINING_EXTENSION:
            let asked = envelope.file_containing_extension?.pointee
            self = .fileContainingExtension(
                message: try asked?.containing_type.string("containing_type") ?? "",
                number: asked?.extension_number ?? 0
            )
        case BRASA__WIRE__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_ALL_EXTENSION_NUMBERS_OF_TYPE:
            let message = try envelope.all_extension_numbers_of_type.string("all_extension_numbers_of_type")
            self = .extensionNumbers(message: message)
        case BRASA__WIRE__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_LIST_SERVICES:
            self = .services(try envelope.list_services.string("list_services"))
        default:
            return nil
        }
    }
}
