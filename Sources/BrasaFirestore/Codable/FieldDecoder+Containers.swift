struct KeyedFieldReader<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: FieldDecoder
    let map: [String: DecodingSource]

    var codingPath: [any CodingKey] { self.decoder.codingPath }
    var allKeys: [Key] { self.map.keys.compactMap { Key(stringValue: $0) } }

    func contains(_ key: Key) -> Bool { self.map[key.stringValue] != nil }

    private func value(_ key: any CodingKey) throws -> FieldDecoder {
        guard let source = self.map[key.stringValue] else {
            throw DecodingError.keyNotFound(
                key,
                DecodingError.Context(
                    codingPath: self.codingPath,
                    debugDescription: "There is no field '\(key.stringValue)'."
                )
            )
        }
        return self.decoder.nested(source, at: key)
    }

    func decodeNil(forKey key: Key) throws -> Bool { try self.value(key).isNull }
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try self.value(key).boolean() }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try self.value(key).string() }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try self.value(key).double() }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try self.value(key).float() }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try self.value(key).integer(Int.self) }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try self.value(key).integer(Int8.self) }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try self.value(key).integer(Int16.self) }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try self.value(key).integer(Int32.self) }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try self.value(key).integer(Int64.self) }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try self.value(key).integer(UInt.self) }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try self.value(key).integer(UInt8.self) }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try self.value(key).integer(UInt16.self) }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try self.value(key).integer(UInt32.self) }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try self.value(key).integer(UInt64.self) }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        // A document's ID is no field of it.
        if type is any UncodedUnkeyed.Type {
            return try T(from: self.decoder.nested(self.map[key.stringValue] ?? .given(()), at: key))
        }
        return try self.value(key).value(type)
    }

    func nestedContainer<NestedKey>(
        keyedBy type: NestedKey.Type,
        forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try self.value(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try self.value(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { try self.value(AnyCodingKey.superclass) }
    func superDecoder(forKey key: Key) throws -> any Decoder { try self.value(key) }
}

struct UnkeyedFieldReader: UnkeyedDecodingContainer {
    let decoder: FieldDecoder
    let elements: [DecodingSource]
    private(set) var currentIndex = 0

    init(decoder: FieldDecoder, elements: [DecodingSource]) {
        self.decoder = decoder
        self.elements = elements
    }

    var codingPath: [any CodingKey] { self.decoder.codingPath }
    var count: Int? { self.elements.count }
    var isAtEnd: Bool { self.currentIndex == self.elements.count }

    private func current() throws -> FieldDecoder {
        let key = AnyCodingKey(intValue: self.currentIndex)
        guard !self.isAtEnd else {
            throw DecodingError.valueNotFound(
                Any.self,
                DecodingError.Context(codingPath: self.codingPath + [key], debugDescription: "The array has ended.")
            )
        }
        return self.decoder.nested(self.elements[self.currentIndex], at: key)
    }

    /// An element that cannot be read stays the current one.
    private mutating func next<Result>(_ read: (FieldDecoder) throws -> Result) throws -> Result {
        let result = try read(try self.current())
        self.currentIndex += 1
        return result
    }

    mutating func decodeNil() throws -> Bool {
        let isNull = try self.current().isNull
        if isNull { self.currentIndex += 1 }
        return isNull
    }

    mutating func decode(_ type: Bool.Type) throws -> Bool { try self.next { try $0.boolean() } }
    mutating func decode(_ type: String.Type) throws -> String { try self.next { try $0.string() } }
    mutating func decode(_ type: Double.Type) throws -> Double { try self.next { try $0.double() } }
    mutating func decode(_ type: Float.Type) throws -> Float { try self.next { try $0.float() } }
    mutating func decode(_ type: Int.Type) throws -> Int { try self.next { try $0.integer(Int.self) } }
    mutating func decode(_ type: Int8.Type) throws -> Int8 { try self.next { try $0.integer(Int8.self) } }
    mutating func decode(_ type: Int16.Type) throws -> Int16 { try self.next { try $0.integer(Int16.self) } }
    mutating func decode(_ type: Int32.Type) throws -> Int32 { try self.next { try $0.integer(Int32.self) } }
    mutating func decode(_ type: Int64.Type) throws -> Int64 { try self.next { try $0.integer(Int64.self) } }
    mutating func decode(_ type: UInt.Type) throws -> UInt { try self.next { try $0.integer(UInt.self) } }
    mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try self.next { try $0.integer(UInt8.self) } }
    mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try self.next { try $0.integer(UInt16.self) } }
    mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try self.next { try $0.integer(UInt32.self) } }
    mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try self.next { try $0.integer(UInt64.self) } }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { try self.next { try $0.value(type) } }

    mutating func nestedContainer<NestedKey>(keyedBy type: NestedKey.Type) throws -> KeyedDecodingContainer<NestedKey> {
        try self.next { try $0.container(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try self.next { try $0.unkeyedContainer() }
    }

    mutating func superDecoder() throws -> any Decoder { try self.next { $0 } }
}

struct SingleFieldReader: SingleValueDecodingContainer {
    let decoder: FieldDecoder

    var codingPath: [any CodingKey] { self.decoder.codingPath }

    func decodeNil() -> Bool { self.decoder.isNull }
    func decode(_ type: Bool.Type) throws -> Bool { try self.decoder.boolean() }
    func decode(_ type: String.Type) throws -> String { try self.decoder.string() }
    func decode(_ type: Double.Type) throws -> Double { try self.decoder.double() }
    func decode(_ type: Float.Type) throws -> Float { try self.decoder.float() }
    func decode(_ type: Int.Type) throws -> Int { try self.decoder.integer(Int.self) }
    func decode(_ type: Int8.Type) throws -> Int8 { try self.decoder.integer(Int8.self) }
    func decode(_ type: Int16.Type) throws -> Int16 { try self.decoder.integer(Int16.self) }
    func decode(_ type: Int32.Type) throws -> Int32 { try self.decoder.integer(Int32.self) }
    func decode(_ type: Int64.Type) throws -> Int64 { try self.decoder.integer(Int64.self) }
    func decode(_ type: UInt.Type) throws -> UInt { try self.decoder.integer(UInt.self) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try self.decoder.integer(UInt8.self) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try self.decoder.integer(UInt16.self) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try self.decoder.integer(UInt32.self) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try self.decoder.integer(UInt64.self) }
    func decode<T: Decodable>(_ type: T.Type) throws -> T { try self.decoder.value(type) }
}
