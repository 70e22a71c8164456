package import BrasaMessages

/// How the answers to batches of Write streams are written down in the log (docs/storage-format.md). Given from outside:
/// it is an encoding, of which this room knows none.
package struct AnswerArchive: Sendable {
    let bytes: @Sendable (WriteResponse) -> [UInt8]
    /// Nil for what is none.
    let answer: @Sendable ([UInt8]) -> WriteResponse?

    package init(
        bytes: @escaping @Sendable (WriteResponse) -> [UInt8],
        answer: @escaping @Sendable ([UInt8]) -> WriteResponse?
    ) {
        self.bytes = bytes
        self.answer = answer
    }
}
