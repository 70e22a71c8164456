// One byte each, and no references: they are asked for each message, of thousands of streams.

/// How far our message on a stream has come.
enum HTTP2Sending: CaseIterable {
    /// Nothing is sent.
    case fresh
    /// The headers are; data, trailers or the end may follow.
    case body
    /// The rest is in our hands: what waits in the queue, and the trailers, if there are any.
    case whole
    /// The trailers are with nghttp2, which may still ask for data.
    case trailersSubmitted
    /// Our END_STREAM has left.
    case ended

    /// Nothing is added to it any more.
    var isWhole: Bool {
        switch self {
        case .fresh, .body: false
        case .whole, .trailersSubmitted, .ended: true
        }
    }

    /// Data, or the end, may be given to nghttp2.
    var mayHaveData: Bool { self == .body || self == .whole }

    /// The headers are sent now. False when they were before.
    mutating func begin(endStream: Bool) -> Bool {
        guard self == .fresh else { return false }
        self = endStream ? .whole : .body
        return true
    }

    /// Nothing follows but trailers. False when that was said before, or nothing has begun.
    mutating func complete() -> Bool {
        guard self == .body else { return false }
        self = .whole
        return true
    }

    mutating func trailersWereSubmitted() { if self == .whole { self = .trailersSubmitted } }

    mutating func endWasSent() { self = .ended }
}

/// How much of the peer's message has come.
enum HTTP2Receiving: Equatable {
    /// Not its final header list.
    case headersAwaited
    /// That has; another header list is trailers.
    case body
    /// The peer's END_STREAM has come.
    case whole
    /// The peer has reset the stream.
    case reset(isWhole: Bool)

    var isWhole: Bool { self == .whole || self == .reset(isWhole: true) }

    /// Nothing more comes.
    var isOver: Bool {
        switch self {
        case .headersAwaited, .body: false
        case .whole, .reset: true
        }
    }

    /// A header list has come that was not an interim response.
    mutating func headersCame() { if self == .headersAwaited { self = .body } }

    mutating func endCame() { if !self.isOver { self = .whole } }

    mutating func resetCame() { self = .reset(isWhole: self.isWhole) }
}
