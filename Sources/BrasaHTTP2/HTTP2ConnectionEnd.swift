/// Why a connection ended: what this side ended it for, or that the peer did.
package enum HTTP2ConnectionEnd: String, CaseIterable, Sendable {
    /// Closed by the peer, or by the network between.
    case peer
    /// In good order, by this side.
    case drained
    /// The peer did not answer a PING.
    case silent
    /// What came is no HTTP/2.
    case protocolError = "protocol_error"
    /// Frames on streams that were over long ago.
    case closedStream = "closed_stream"
    /// More frames that ask for work than a budget allows.
    case frameFlood = "frame_flood"
    /// A list of headers far beyond its bound.
    case headerBomb = "header_bomb"
    /// A block of headers that did not come whole in time.
    case slowHeaders = "slow_headers"
    /// Answers to the peer's own frames, or responses, that it does not read.
    case unread
    /// It kept more than there was room for.
    case memory
    /// The session could not go on.
    case session

    /// Whether the peer did what it may not.
    package var isFault: Bool {
        switch self {
        case .peer, .drained, .silent: false
        default: true
        }
    }
}
