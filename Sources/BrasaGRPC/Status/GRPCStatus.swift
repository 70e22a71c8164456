package import BrasaStatus

/// How a call ended: the code, a message for people, and optionally a serialized `google.rpc.Status` with details whose
/// code equals `code`.
package struct GRPCStatus: Error, Sendable, Hashable {
    package var code: StatusCode
    package var message: String
    package var details: [UInt8]?

    package init(_ code: StatusCode, _ message: String = "", details: [UInt8]? = nil) {
        self.code = code
        self.message = message
        self.details = details
    }

    package var isOK: Bool { self.code == .ok }
}

extension GRPCStatus: CustomStringConvertible {
    package var description: String {
        self.message.isEmpty ? self.code.name : "\(self.code.name): \(self.message)"
    }
}

extension GRPCStatus {
    package static let ok = GRPCStatus(.ok)

    // What this room itself answers; made once, since they are answered on hot and hostile paths alike.
    static let deadlineExceeded = GRPCStatus(.deadlineExceeded, "Deadline exceeded")
    static let cancelled = GRPCStatus(.cancelled, "The call was cancelled")
    static let malformedTimeout = GRPCStatus(.invalidArgument, "Malformed grpc-timeout")
    static let noRequestMessage = GRPCStatus(.unimplemented, "The client ended the call without a request message")
    static let secondRequestMessage = GRPCStatus(.unimplemented, "The method takes exactly one request message")
    static let noResponseMessage = GRPCStatus(.unimplemented, "The server ended the call without a response message")
    static let secondResponseMessage = GRPCStatus(.unimplemented, "The method gives exactly one response message")
    static let truncatedMessage = GRPCStatus(.internal, "The stream ended within a message")
    static let compressedWithoutEncoding = GRPCStatus(.internal, "Compressed message without grpc-encoding")
    static let invalidCompressedFlag = GRPCStatus(.internal, "Invalid compressed flag of a message")
    static let corruptCompression = GRPCStatus(.internal, "The compressed message is damaged")
    /// Names the method only so far: a compressed header list makes a long path cheap to send.
    static func unknownMethod(_ path: some Collection<UInt8>) -> GRPCStatus {
        GRPCStatus(.unimplemented, "The server has no method \(String(decoding: path.prefix(100), as: UTF8.self))")
    }
    static func messageTooLarge(_ bytesMax: Int) -> GRPCStatus {
        GRPCStatus(.invalidArgument, "Request payload size exceeds the limit: \(bytesMax) bytes.")
    }

    static let tooManyRequestBytes = GRPCStatus(
        .resourceExhausted,
        "Too many bytes of unfinished and unanswered requests on this connection"
    )
    static let tooManyUnreadBytes = GRPCStatus(
        .resourceExhausted,
        "Too many bytes of unread responses on this connection"
    )
    static let noRoom = GRPCStatus(
        .resourceExhausted,
        "The server keeps as many bytes of requests and responses as it may"
    )
    static let missingStatus = GRPCStatus(.unknown, "The server ended the call without a status")
    static let unsupportedResponseEncoding = GRPCStatus(.internal, "The response's grpc-encoding is not supported")
}
