extension TaggedValue: Decodable {
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Tag.self)
        guard let tag = container.allKeys.first else { throw Malformed(description: "a value without a known tag") }
        func content<T: Decodable>(_ type: T.Type = T.self) throws -> T { try container.decode(type, forKey: tag) }
        switch tag {
        case .null: self = .null
        case .boolean: self = .boolean(try content())
        case .integer: self = .integer(try Self.integer(try content()))
        case .double: self = .double(try Self.double(bits: try content()))
        case .timestamp:
            let parts: [String] = try content()
            guard parts.count == 2, let nanoseconds = Int32(parts[1]) else { throw Malformed(description: "\(parts)") }
            self = .timestamp(seconds: try Self.integer(parts[0]), nanoseconds: nanoseconds)
        case .string: self = .string(try content())
        case .bytes: self = .bytes(try content())
        case .reference: self = .reference(try content())
        case .geoPoint:
            let parts = try content([String].self).map(Self.double(bits:))
            guard parts.count == 2 else { throw Malformed(description: "\(parts)") }
            self = .geoPoint(latitude: parts[0], longitude: parts[1])
        case .array: self = .array(try content())
        case .map: self = .map(try content())
        case .vector: self = .vector(try content([String].self).map(Self.double(bits:)))
        case .delete: self = .operation(.delete)
        case .serverTimestamp: self = .operation(.serverTimestamp)
        case .increment: self = .operation(.increment(try content()))
        case .minimum: self = .operation(.minimum(try content()))
        case .maximum: self = .operation(.maximum(try content()))
        case .arrayUnion: self = .operation(.arrayUnion(try content()))
        case .arrayRemove: self = .operation(.arrayRemove(try content()))
        }
    }

    private static func integer(_ text: String) throws -> Int64 {
        guard let integer = Int64(text) else { throw Malformed(description: "the integer \(text)") }
        return integer
    }

    private static func double(bits text: String) throws -> Double {
        guard let bits = UInt64(text, radix: 16) else { throw Malformed(description: "the double \(text)") }
        return Double(bitPattern: bits)
    }
}

extension TaggedValue: Encodable {
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Tag.self)
        switch self {
        case .null: try container.encode(true, forKey: .null)
        case .boolean(let boolean): try container.encode(boolean, forKey: .boolean)
        case .integer(let integer): try container.encode("\(integer)", forKey: .integer)
        case .double(let double): try container.encode(Self.bits(double), forKey: .double)
        case .timestamp(let seconds, let nanoseconds):
            try container.encode(["\(seconds)", "\(nanoseconds)"], forKey: .timestamp)
        case .string(let text): try container.encode(text, forKey: .string)
        case .bytes(let bytes): try container.encode(bytes, forKey: .bytes)
        case .reference(let path): try container.encode(path, forKey: .reference)
        case .geoPoint(let latitude, let longitude):
            try container.encode([latitude, longitude].map(Self.bits), forKey: .geoPoint)
        case .array(let elements): try container.encode(elements, forKey: .array)
        case .map(let entries): try container.encode(entries, forKey: .map)
        case .vector(let components): try container.encode(components.map(Self.bits), forKey: .vector)
        case .operation(let operation): throw Malformed(description: "\(operation) is no value that is read")
        }
    }

    private static func bits(_ double: Double) -> String {
        String(double.bitPattern, radix: 16)
    }
}
