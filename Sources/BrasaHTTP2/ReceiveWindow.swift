/// What the peer may still send, on a stream or on the connection. Bytes count from their arrival until they are
/// consumed and given back.
struct ReceiveWindow {
    private let size: Int
    /// Received and not given back.
    private var outstandingBytes = 0
    /// Consumed and not given back.
    private var creditBytes = 0

    init(size: Int) {
        self.size = size
    }

    /// Received and not consumed.
    var unconsumedBytes: Int { self.outstandingBytes - self.creditBytes }

    mutating func received(_ count: Int) {
        self.outstandingBytes += count
    }

    /// Consumes no more than was received.
    mutating func consumed(_ count: Int) {
        self.creditBytes += min(count, self.unconsumedBytes)
    }

    /// So much was received and not given back by others' count: what is not known here was consumed on its way.
    mutating func settle(outstandingBytes: Int) {
        let unconsumedBytes = self.unconsumedBytes
        self.outstandingBytes = max(outstandingBytes, unconsumedBytes)
        self.creditBytes = self.outstandingBytes - unconsumedBytes
    }

    /// The increment of a WINDOW_UPDATE that is due: when half of the window can be given back, or as much as the peer
    /// has left. The second keeps a peer going whose window is mostly held by what nobody consumes.
    mutating func takeUpdate() -> Int? {
        guard self.creditBytes > 0 else { return nil }
        guard self.creditBytes >= self.size / 2 || self.creditBytes >= self.size - self.outstandingBytes else {
            return nil
        }
        defer {
            self.outstandingBytes -= self.creditBytes
            self.creditBytes = 0
        }
        return self.creditBytes
    }
}
