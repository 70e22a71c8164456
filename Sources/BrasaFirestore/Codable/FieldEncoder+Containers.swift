internal import Foundation

struct KeyedFieldContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: FieldEncoder
    let box: EncodedMap
    let codingPath: [any CodingKey]

    private func name(of key: any CodingKey) -> String {
        switch self.encoder.options.keys {
        case .useDefaultKeys: key.stringValue
        case .convertToSnakeCase: SnakeCase.encoded(key.stringValue)
        case .custom(let convert): convert(self.codingPath + [key]).stringValue
        }
    }

    func encodeNil(forKey key: Key) throws { self.box.parts[self.name(of: key)] = .value(NSNull()) }
    func encode(_ value: Bool, forKey key: Key) throws { self.box.parts[self.name(of: key)] = .value(value) }
    func encode(_ value: String, forKey key: Key) throws { self.box.parts[self.name(of: key)] = .value(value) }
    func encode(_ value: Int, forKey key: Key) throws { self.box.parts[self.name(of: key)] = .value(value) }
    func encode(_ value: Int8, forKey key: Key) throws { self.box.parts[self.name(of: key)] = .value(value) }
    func encode(_ value: Int16, forKey key: Key) throws { self.box.parts[self.name(of: key)] = .value(value) }
    func encode(_ value: Int32, forKey key: Key) throws { self.box.parts[self.name(of: key)] = .value(value) }
    func encode(_ value: Int64, forKey key: Key) throws { self.box.parts[self.name(of: key)] = .value(value) }
    func encode(_ value: UInt, forKey key: Key) throws { self.box.parts[self.name(of: key)] = .value(value) }
    func encode(_ value: UInt8, forKey key: Key) throws { self.box.parts[self.name(of: key)] = .value(value) }
    func encode(_ value: UInt16, forKey key: Key) throws { self.box.parts[self.name(of: key)] = .value(value) }
    func encode(_ value: UInt32, forKey key: Key) throws { self.box.parts[self.name(of: key)] = .value(value) }
    func encode(_ value: UInt64, forKey key: Key) throws { self.box.parts[self.name(of: key)] = .value(value) }

    func encode(_ value: Double, forKey key: Key) throws {
        self.box.parts[self.name(of: key)] = try self.encoder.part(float: value, self.codingPath + [key])
    }

    func encode(_ value: Float, forKey key: Key) throws {
        self.box.parts[self.name(of: key)] = try self.encoder.part(float: value, self.codingPath + [key])
    }

    func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        // A document's ID is no field of it.
        if value is any UncodedUnkeyed { return }
        let part = try self.encoder.part(value, codingPath: self.codingPath + [key])
        self.box.parts[self.name(of: key)] = part ?? .map(EncodedMap())
    }

    func nestedContainer<NestedKey>(
        keyedBy keyType: NestedKey.Type,
        forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        let nested = EncodedMap()
        self.box.parts[self.name(of: key)] = .map(nested)
        return KeyedEncodingContainer(
            KeyedFieldContainer<NestedKey>(encoder: self.encoder, box: nested, codingPath: self.codingPath + [key])
        )
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        let nested = EncodedArray()
        self.box.parts[self.name(of: key)] = .array(nested)
        return UnkeyedFieldContainer(encoder: self.encoder, box: nested, codingPath: self.codingPath + [key])
    }

    func superEncoder() -> any Encoder { self.superEncoder(at: AnyCodingKey.superclass) }
    func superEncoder(forKey key: Key) -> any Encoder { self.superEncoder(at: key) }

    private func superEncoder(at key: any CodingKey) -> any Encoder {
        let encoder = FieldEncoder(options: self.encoder.options, codingPath: self.codingPath + [key])
        self.box.parts[self.name(of: key)] = .later(encoder)
        return encoder
    }
}

struct UnkeyedFieldContainer: UnkeyedEncodingContainer {
    let encoder: FieldEncoder
    let box: EncodedArray
    let codingPath: [any CodingKey]

    var count: Int { self.box.parts.count }
    private var elementPath: [any CodingKey] { self.codingPath + [AnyCodingKey(intValue: self.count)] }

    func encodeNil() throws { self.box.parts.append(.value(NSNull())) }

    func encode<T: Encodable>(_ value: T) throws {
        let part = try self.encoder.part(value, codingPath: self.elementPath)
        self.box.parts.append(part ?? .map(EncodedMap()))
    }

    func nestedContainer<NestedKey>(keyedBy keyType: NestedKey.Type) -> KeyedEncodingContainer<NestedKey> {
        let nested = EncodedMap()
        let path = self.elementPath
        self.box.parts.append(.map(nested))
        return KeyedEncodingContainer(
            KeyedFieldContainer<NestedKey>(encoder: self.encoder, box: nested, codingPath: path)
        )
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        let nested = EncodedArray()
        let path = self.elementPath
        self.box.parts.append(.array(nested))
        return UnkeyedFieldContainer(encoder: self.encoder, box: nested, codingPath: path)
    }

    func superEncoder() -> any Encoder {
        let encoder = FieldEncoder(options: self.encoder.options, codingPath: self.elementPath)
        self.box.parts.append(.later(encoder))
        return encoder
    }
}

struct SingleFieldContainer: SingleValueEncodingContainer {
    let encoder: FieldEncoder

    var codingPath: [any CodingKey] { self.encoder.codingPath }

    func encodeNil() throws { self.encoder.part = .value(NSNull()) }
    func encode(_ value: Bool) throws { self.encoder.part = .value(value) }
    func encode(_ value: String) throws { self.encoder.part = .value(value) }
    func encode(_ value: Int) throws { self.encoder.part = .value(value) }
    func encode(_ value: Int8) throws { self.encoder.part = .value(value) }
    func encode(_ value: Int16) throws { self.encoder.part = .value(value) }
    func encode(_ value: Int32) throws { self.encoder.part = .value(value) }
    func encode(_ value: Int64) throws { self.encoder.part = .value(value) }
    func encode(_ value: UInt) throws { self.encoder.part = .value(value) }
    func encode(_ value: UInt8) throws { self.encoder.part = .value(value) }
    func encode(_ value: UInt16) throws { self.encoder.part = .value(value) }
    func encode(_ value: UInt32) throws { self.encoder.part = .value(value) }
    func encode(_ value: UInt64) throws { self.encoder.part = .value(value) }

    func encode(_ value: Double) throws {
        self.encoder.part = try self.encoder.part(float: value, self.codingPath)
    }

    func encode(_ value: Float) throws {
        self.encoder.part = try self.encoder.part(float: value, self.codingPath)
    }

    func encode<T: Encodable>(_ value: T) throws {
        self.encoder.part = try self.encoder.part(value, codingPath: self.codingPath)
    }
}
