import BrasaTree

/// Reads a client's message, and keeps the data that it writes (`d.b.d`) apart from the rest: that may be large, and what
/// it is depends on members that may come after it.
struct EnvelopeReader<Body: JSONSink>: JSONSink where Body.Failure == TreeError {
    typealias Failure = TreeError

    var body: Body
    /// Everything else.
    private(set) var envelope = JSONValueReader()
    private(set) var hasBody = false
    /// The request's, as soon as it was read.
    private(set) var number: Int64?
    private let valuesMax: Int
    private var values = 0
    /// Keys of the uppermost levels that are open.
    private var keys: [TreeText] = []
    private var depth = 0
    /// The level at which the body began; nil outside it.
    private var bodyDepth: Int?

    private static var bodyKeys: [TreeText] { ["d", "b", "d"] }
    private static var numberKeys: [TreeText] { ["d", "r"] }
    /// Of everything else, as deep as JSON is read elsewhere.
    private static var levelsMax: Int { 64 }

    init(_ body: Body, valuesMax: Int) {
        self.body = body
        self.valuesMax = valuesMax
    }

    var path: TreePath? { self.bodyDepth == nil ? nil : self.body.path }

    /// Before each value. Whether it is the body's.
    private mutating func begin() throws(TreeError) -> Bool {
        if self.bodyDepth != nil { return true }
        if self.depth == 3, self.keys == Self.bodyKeys {
            // Of two bodies the last would count; nobody sends two.
            guard !self.hasBody else { throw TreeError(.malformedQuery) }
            self.bodyDepth = self.depth
            self.hasBody = true
            // Its place in the rest.
            self.envelope.null()
            return true
        }
        self.values += 1
        guard self.values <= self.valuesMax else { throw TreeError(.malformedQuery) }
        return false
    }

    private mutating func beginLevel() throws(TreeError) -> Bool {
        let isBody = try self.begin()
        guard isBody || self.depth < Self.levelsMax else { throw TreeError(.malformedQuery) }
        return isBody
    }

    /// After each value.
    private mutating func end() {
        if self.bodyDepth == self.depth { self.bodyDepth = nil }
    }

    mutating func null() throws(TreeError) {
        if try self.begin() { try self.body.null() } else { self.envelope.null() }
        self.end()
    }

    mutating func scalar(_ value: JSONScalar) throws(TreeError) {
        if try self.begin() {
            try self.body.scalar(value)
        } else {
            self.envelope.scalar(value)
            if self.depth == 2, case .integer(let number) = value, self.keys == Self.numberKeys { self.number = number }
        }
        self.end()
    }

    mutating func string(_ text: UnsafeBufferPointer<UInt8>) throws(TreeError) {
        if try self.begin() { try self.body.string(text) } else { self.envelope.string(text) }
        self.end()
    }

    mutating func key(_ text: UnsafeBufferPointer<UInt8>) throws(TreeError) {
        guard self.bodyDepth == nil else { return try self.body.key(text) }
        if self.depth <= 3 {
            self.keys.removeSubrange(min(self.depth - 1, self.keys.count)...)
            self.keys.append(TreeText(String(decoding: text, as: UTF8.self)))
        }
        try self.envelope.key(text)
    }

    mutating func beginObject() throws(TreeError) {
        if try self.beginLevel() { try self.body.beginObject() } else { self.envelope.beginObject() }
        self.depth += 1
    }

    mutating func beginArray() throws(TreeError) {
        if try self.beginLevel() { try self.body.beginArray() } else { self.envelope.beginArray() }
        self.depth += 1
        // Elements have no keys.
        if self.bodyDepth == nil, self.depth <= 3 { self.keys.removeSubrange(min(self.depth - 1, self.keys.count)...) }
    }

    mutating func endObject() throws(TreeError) {
        self.depth -= 1
        if self.bodyDepth != nil { try self.body.endObject() } else { self.envelope.endObject() }
        self.end()
    }

    mutating func endArray() throws(TreeError) {
        self.depth -= 1
        if self.bodyDepth != nil { try self.body.endArray() } else { self.envelope.endArray() }
        self.end()
    }
}

extension EnvelopeReader {
    /// A text may be gone through twice: what its data is depends on what is beside it.
    static func read(_ text: [UInt8], _ body: Body, _ limits: WireLimits) throws(TreeError) -> EnvelopeReader {
        var scanning = JSONScanner<EnvelopeReader>.Limits()
        scanning.bytesMax = limits.messageBytesMax
        var scanner = JSONScanner(EnvelopeReader(body, valuesMax: limits.messageValuesMax), limits: scanning)
        try scanner.read(text)
        return try scanner.finish()
    }
}

extension EnvelopeReader<DiscardingSink> {
    /// What is around the data; how deep and how long that is is found out where it is read, as a fault of the request.
    static func read(_ text: [UInt8], _ limits: WireLimits) throws(TreeError) -> EnvelopeReader {
        var scanner = Self.scanner(limits)
        try scanner.read(text)
        return try scanner.finish()
    }

    /// The number of a request of which the beginning is there; nil when it comes later, or there is none.
    static func number(inBeginning text: [UInt8], _ limits: WireLimits) -> Int64? {
        var scanner = Self.scanner(limits)
        // What was read before a fault counts.
        try? scanner.read(text)
        return scanner.sink.number
    }

    private static func scanner(_ limits: WireLimits) -> JSONScanner<EnvelopeReader> {
        var scanning = JSONScanner<EnvelopeReader>.Limits()
        scanning.bytesMax = limits.messageBytesMax
        scanning.stringBytesMax = limits.messageBytesMax
        scanning.levelsMax = limits.messageLevelsMax
        return JSONScanner(EnvelopeReader(DiscardingSink(), valuesMax: limits.messageValuesMax), limits: scanning)
    }
}

/// Takes a value and keeps nothing of it.
struct DiscardingSink: JSONSink {
    typealias Failure = TreeError

    var path: TreePath? { nil }

    mutating func null() {}
    mutating func scalar(_ value: JSONScalar) {}
    mutating func string(_ text: UnsafeBufferPointer<UInt8>) {}
    mutating func beginObject() {}
    mutating func key(_ text: UnsafeBufferPointer<UInt8>) {}
    mutating func endObject() {}
    mutating func beginArray() {}
    mutating func endArray() {}
}
