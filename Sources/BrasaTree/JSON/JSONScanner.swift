/// Reads one JSON text (RFC 8259) that may arrive in any pieces, and hands its parts to a sink as they are complete. It
/// keeps a string or number that is under way and one bit per open level, never the text.
///
/// Strict: no comments, no trailing commas, no NaN, valid UTF-8. A `\u` escape of half a surrogate pair becomes U+FFFD,
/// as the halves that clients make by cutting a message do.
package struct JSONScanner<Sink: JSONSink>: ~Copyable where Sink.Failure == TreeError {
    package struct Limits: Sendable {
        /// Objects and arrays inside one another.
        package var levelsMax = 64
        package var bytesMax = TreeLimits.writeBytesMaxREST
        package var stringBytesMax = TreeLimits.stringBytesMax

        package init() {}
    }

    enum State {
        case value
        case elementOrEnd
        case keyOrEnd
        case key
        case colon
        case commaOrEnd
        case string
        case escape
        /// How many of the four digits are still to come.
        case unicode(missing: Int)
        case number
        case literal(JSONLiteral, matched: Int)
        case end
    }

    package var sink: Sink
    let limits: Limits
    var state = State.value
    /// Of the levels that are open, which are objects.
    var levels: [Bool] = []
    /// The string, key or number under way.
    var token: [UInt8] = []
    var tokenIsKey = false
    var tokenIsASCII = true
    var tokenStart = 0
    /// Of a `\u` escape: its digits so far, and the first half of a pair before it.
    var unit: UInt32 = 0
    var highSurrogate: UInt32?
    /// Bytes before the piece at hand.
    var offset = 0

    package init(_ sink: consuming Sink, limits: Limits = Limits()) {
        self.sink = sink
        self.limits = limits
    }

    /// Takes the next piece. After an error the scanner is of no more use.
    package mutating func read(_ bytes: UnsafeBufferPointer<UInt8>) throws(TreeError) {
        guard bytes.count <= self.limits.bytesMax - self.offset else {
            throw TreeError(.textTooLong(bytesMax: self.limits.bytesMax))
        }
        var index = 0
        while index < bytes.count {
            switch self.state {
            case .string: try self.readString(bytes, &index)
            case .number: try self.readNumber(bytes, &index)
            case .escape, .unicode: try self.readEscape(bytes[index], at: index, &index)
            case .literal(let literal, let matched): try self.readLiteral(literal, matched, bytes, &index)
            case .value, .elementOrEnd, .keyOrEnd, .key, .colon, .commaOrEnd, .end:
                let byte = bytes[index]
                if byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
                    index &+= 1
                } else {
                    try self.readStructure(byte, at: index)
                    index &+= 1
                }
            }
        }
        self.offset += bytes.count
    }

    package mutating func read(_ bytes: [UInt8]) throws(TreeError) {
        try bytes.withUnsafeBufferPointer { bytes throws(TreeError) in try self.read(bytes) }
    }

    /// The text is over. Returns the sink with the whole value in it.
    package consuming func finish() throws(TreeError) -> Sink {
        if case .number = self.state { try self.endNumber() }
        guard case .end = self.state else { throw self.error(.unexpectedEnd, at: 0) }
        return self.sink
    }

    func error(_ fault: JSONFault, at index: Int) -> TreeError {
        TreeError(.json(fault, offset: self.offset + index), at: self.sink.path)
    }

    private mutating func readStructure(_ byte: UInt8, at index: Int) throws(TreeError) {
        switch (self.state, byte) {
        case (.value, _): try self.beginValue(byte, at: index)
        case (.elementOrEnd, UInt8(ascii: "]")), (.keyOrEnd, UInt8(ascii: "}")): try self.endLevel()
        case (.elementOrEnd, _): try self.beginValue(byte, at: index)
        case (.keyOrEnd, UInt8(ascii: "\"")), (.key, UInt8(ascii: "\"")): self.beginString(isKey: true, at: index)
        case (.colon, UInt8(ascii: ":")): self.state = .value
        case (.commaOrEnd, UInt8(ascii: ",")): self.state = self.levels.last == true ? .key : .value
        case (.commaOrEnd, UInt8(ascii: "}")) where self.levels.last == true: try self.endLevel()
        case (.commaOrEnd, UInt8(ascii: "]")) where self.levels.last == false: try self.endLevel()
        case (.end, _): throw self.error(.afterEnd, at: index)
        default: throw self.error(.unexpectedByte(byte), at: index)
        }
    }

    private mutating func beginValue(_ byte: UInt8, at index: Int) throws(TreeError) {
        switch byte {
        case UInt8(ascii: "{"): try self.beginLevel(isObject: true, at: index)
        case UInt8(ascii: "["): try self.beginLevel(isObject: false, at: index)
        case UInt8(ascii: "\""): self.beginString(isKey: false, at: index)
        case UInt8(ascii: "t"): self.state = .literal(.true, matched: 1)
        case UInt8(ascii: "f"): self.state = .literal(.false, matched: 1)
        case UInt8(ascii: "n"): self.state = .literal(.null, matched: 1)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            self.token.removeAll(keepingCapacity: true)
            self.token.append(byte)
            self.tokenStart = self.offset + index
            self.state = .number
        default: throw self.error(.unexpectedByte(byte), at: index)
        }
    }

    private mutating func beginLevel(isObject: Bool, at index: Int) throws(TreeError) {
        guard self.levels.count < self.limits.levelsMax else {
            throw self.error(.tooDeep(levelsMax: self.limits.levelsMax), at: index)
        }
        self.levels.append(isObject)
        if isObject { try self.sink.beginObject() } else { try self.sink.beginArray() }
        self.state = isObject ? .keyOrEnd : .elementOrEnd
    }

    private mutating func endLevel() throws(TreeError) {
        if self.levels.removeLast() { try self.sink.endObject() } else { try self.sink.endArray() }
        self.endValue()
    }

    mutating func endValue() {
        self.state = self.levels.isEmpty ? .end : .commaOrEnd
    }

    private mutating func beginString(isKey: Bool, at index: Int) {
        self.token.removeAll(keepingCapacity: true)
        self.tokenIsKey = isKey
        self.tokenIsASCII = true
        self.tokenStart = self.offset + index
        self.highSurrogate = nil
        self.state = .string
    }

    private mutating func readLiteral(
        _ literal: JSONLiteral,
        _ matched: Int,
        _ bytes: UnsafeBufferPointer<UInt8>,
        _ index: inout Int
    ) throws(TreeError) {
        guard bytes[index] == literal.text[matched] else { throw self.error(.unexpectedByte(bytes[index]), at: index) }
        index += 1
        guard matched + 1 == literal.text.count else {
            self.state = .literal(literal, matched: matched + 1)
            return
        }
        switch literal {
        case .null: try self.sink.null()
        case .true: try self.sink.scalar(.boolean(true))
        case .false: try self.sink.scalar(.boolean(false))
        }
        self.endValue()
    }
}

/// The three words of JSON.
enum JSONLiteral {
    case null, `true`, `false`

    private static let nullText = Array("null".utf8)
    private static let trueText = Array("true".utf8)
    private static let falseText = Array("false".utf8)

    var text: [UInt8] {
        switch self {
        case .null: Self.nullText
        case .true: Self.trueText
        case .false: Self.falseText
        }
    }
}
