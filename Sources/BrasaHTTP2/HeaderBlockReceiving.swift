internal import NIOCore

/// The header block that is being received: there is one at a time on a connection.
struct HeaderBlockReceiving {
    /// How large its list has become, by the limits.
    enum Size { case fits, tooLarge, bomb }

    private(set) var list = HTTP2Headers()
    /// Of the whole list, also of what was too much to be kept.
    private var listBytes = 0
    private let listBytesMax: Int
    /// Whose it is; nil when the stream is gone or refused.
    var stream: HTTP2Stream?
    /// The block within which the last read ended, counted from the connection's beginning.
    var timedBlock: Int?
    var timer: Scheduled<Void>?

    /// An idle connection keeps the storage of a list of usual size only.
    private static let idleListBytes = 2 << 10

    init(_ limits: HTTP2Limits) {
        self.listBytesMax = limits.headerListBytesMax
    }

    var size: Size {
        if self.listBytes <= self.listBytesMax { return .fits }
        return self.listBytes > HTTP2Limits.headerBombFactor * self.listBytesMax ? .bomb : .tooLarge
    }

    mutating func begin(of stream: HTTP2Stream?) {
        self.list.removeAll()
        self.listBytes = 0
        self.stream = stream
    }

    mutating func append(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        self.listBytes += name.count + value.count + 32
        if self.size == .fits { self.list.append(name: name, value: value) }
    }

    /// The list has been handed over.
    mutating func end() {
        self.stream = nil
        if self.list.listBytes > Self.idleListBytes { self.list = HTTP2Headers() }
    }
}
