package import BrasaService
import BrasaWire

extension AnswerArchive {
    /// As clients are sent them.
    package static let protobuf = AnswerArchive(
        bytes: { StoredMessages.bytes(of: $0) },
        answer: { try? StoredMessages.answer(in: $0) }
    )
}
