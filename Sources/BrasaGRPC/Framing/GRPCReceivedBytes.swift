internal import NIOCore

/// The bytes of one direction of a call: cut into messages, and credited to the peer's window when they are given out.
struct GRPCReceivedBytes {
    private var decoder: GRPCMessageDecoder
    /// Bytes received whose credit the peer has not got back.
    private var uncreditedBytes = 0

    init(messageBytesMax: Int) {
        self.decoder = GRPCMessageDecoder(messageBytesMax: messageBytesMax)
    }

    var messageBytesMax: Int {
        get { self.decoder.messageBytesMax }
        set { self.decoder.messageBytesMax = newValue }
    }

    /// Bytes received and not given out.
    var bufferedBytes: Int { self.decoder.bufferedBytes }

    mutating func append(_ data: consuming ByteBuffer) {
        self.uncreditedBytes += data.readableBytes
        self.decoder.append(data)
    }

    mutating func next() throws(GRPCFramingError) -> GRPCMessageDecoder.Message? { try self.decoder.next() }

    /// The credit that is due: of everything but what waits for a receiver that takes nothing. The start of a message whose
    /// end has not come is credited, since it may be larger than the window; its bound is the message limit.
    mutating func takeCredit(isStopped: Bool) -> Int {
        if self.decoder.bufferedBytes > 0 { self.decoder.unshare() }
        let keptBytes = isStopped ? self.decoder.bufferedBytes : 0
        guard self.uncreditedBytes > keptBytes else { return 0 }
        defer { self.uncreditedBytes = keptBytes }
        return self.uncreditedBytes - keptBytes
    }

    /// Lets go of everything. What is to be credited.
    mutating func discard() -> Int {
        self.decoder.discard()
        defer { self.uncreditedBytes = 0 }
        return self.uncreditedBytes
    }
}
