/// A JSON value taken apart, for small ones: parameters, messages, and what the client's values are made of.
package indirect enum JSONValue: Hashable, Sendable {
    case null
    case scalar(JSONScalar)
    case string(TreeText)
    case array([JSONValue])
    /// In the order of the text; of equal keys the last counts.
    case object([Member])

    package struct Member: Hashable, Sendable {
        package var key: TreeText
        package var value: JSONValue

        package init(_ key: TreeText, _ value: JSONValue) {
            self.key = key
            self.value = value
        }
    }

    package init(parsing text: [UInt8], levelsMax: Int = 64) throws(TreeError) {
        var limits = JSONScanner<JSONValueReader>.Limits()
        limits.levelsMax = levelsMax
        var scanner = JSONScanner(JSONValueReader(), limits: limits)
        try scanner.read(text)
        self = try scanner.finish().value
    }

    package subscript(key: TreeText) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.last { $0.key == key }?.value
    }

    package var text: [UInt8] {
        var text = JSONText()
        self.emit(into: &text)
        return text.bytes
    }

    /// Recursive: as deep as the value, which whoever made it has bounded, or as the sink takes.
    package func emit<Sink: JSONSink>(into sink: inout Sink) throws(Sink.Failure) {
        switch self {
        case .null: try sink.null()
        case .scalar(let scalar): try sink.scalar(scalar)
        case .string(let text): try sink.string(text)
        case .array(let elements):
            try sink.beginArray()
            for element in elements { try element.emit(into: &sink) }
            try sink.endArray()
        case .object(let members):
            try sink.beginObject()
            for member in members {
                try sink.key(member.key)
                try member.value.emit(into: &sink)
            }
            try sink.endObject()
        }
    }
}

extension JSONSink {
    package mutating func string(_ text: TreeText) throws(Failure) {
        try text.utf8.withUnsafeBufferPointer { bytes throws(Failure) in try self.string(bytes) }
    }

    package mutating func key(_ text: TreeText) throws(Failure) {
        try text.utf8.withUnsafeBufferPointer { bytes throws(Failure) in try self.key(bytes) }
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByNilLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    package init(stringLiteral value: String) { self = .string(TreeText(value)) }
    package init(booleanLiteral value: Bool) { self = .scalar(.boolean(value)) }
    package init(integerLiteral value: Int64) { self = .scalar(.integer(value)) }
    package init(floatLiteral value: Double) { self = .scalar(.double(value)) }
    package init(nilLiteral: ()) { self = .null }
    package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    package init(dictionaryLiteral elements: (TreeText, JSONValue)...) {
        self = .object(elements.map { Member($0, $1) })
    }
}
