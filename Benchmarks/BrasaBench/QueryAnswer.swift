import BrasaGRPC
import BrasaStatus
import NIOCore

/// Checks the answer of a query that is measured without decoding it, as `pgbench` makes nothing of the rows that it is sent:
/// by its status, and by how many of its messages have a document or by the count that its one message begins with.
final class QueryAnswer: GRPCClientResponseHandler {
    /// What a message of the answer begins with, and how many such there are.
    struct Expected: Sendable {
        let start: [UInt8]
        let count: Int

        /// Documents are the first field of their messages.
        static func documents(_ count: Int) -> Expected { Expected(start: [0x0A], count: count) }
    }

    private let expected: Expected
    private let ended: (Result<Void, GRPCCallResult>) -> Void
    private var count = 0

    init(_ expected: Expected, ended: @escaping (Result<Void, GRPCCallResult>) -> Void) {
        self.expected = expected
        self.ended = ended
    }

    func received(message: ByteBuffer) {
        let isExpected = message.withUnsafeReadableBytes { $0.starts(with: self.expected.start) }
        if isExpected { self.count += 1 }
    }

    func finished(_ result: GRPCCallResult) {
        guard result.status.code == .ok else { return self.ended(.failure(result)) }
        guard self.count != self.expected.count else { return self.ended(.success(())) }
        let text = "\(self.count) messages of the answer are what was asked for, not \(self.expected.count)"
        self.ended(.failure(GRPCCallResult(GRPCStatus(.dataLoss, text))))
    }
}
