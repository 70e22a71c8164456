internal import BrasaTree
public import Foundation

extension Database {
    /// Makes values that can be stored of `Encodable` ones: dates are seconds since 2001 and data is Base64, unless another
    /// strategy is set.
    public struct Encoder: Sendable {
        public var dateEncodingStrategy = JSONEncoder.DateEncodingStrategy.deferredToDate
        public var dataEncodingStrategy = JSONEncoder.DataEncodingStrategy.base64
        public var keyEncodingStrategy = JSONEncoder.KeyEncodingStrategy.useDefaultKeys

        public init() {}

        public func encode<Value: Encodable>(_ value: Value) throws -> Any {
            ValueWriter.value(try self.json(value))
        }

        func json(_ value: some Encodable) throws -> JSONValue {
            let encoder = JSONEncoder()
            encoder.dateEncodingStrategy = self.dateEncodingStrategy
            encoder.dataEncodingStrategy = self.dataEncodingStrategy
            encoder.keyEncodingStrategy = self.keyEncodingStrategy
            let text = Array(try encoder.encode(value))
            do throws(TreeError) {
                return try JSONValue(parsing: text)
            } catch {
                throw DatabaseFault(error).nsError
            }
        }
    }

    /// Makes `Decodable` values of what was stored.
    public struct Decoder: Sendable {
        public var dateDecodingStrategy = JSONDecoder.DateDecodingStrategy.deferredToDate
        public var dataDecodingStrategy = JSONDecoder.DataDecodingStrategy.base64
        public var keyDecodingStrategy = JSONDecoder.KeyDecodingStrategy.useDefaultKeys

        public init() {}

        /// - Parameter structure: a value as ``DataSnapshot/value`` gives it.
        public func decode<Value: Decodable>(_ type: Value.Type, from structure: Any) throws -> Value {
            let json: JSONValue
            do throws(DatabaseFault) {
                json = try ValueReader.json(structure)
            } catch {
                throw error.nsError
            }
            return try self.decode(type, text: json.text)
        }

        func decode<Value: Decodable>(_ type: Value.Type, text: [UInt8]) throws -> Value {
            let decoder = JSONDecoder()
            decoder.dateDecodingStrategy = self.dateDecodingStrategy
            decoder.dataDecodingStrategy = self.dataDecodingStrategy
            decoder.keyDecodingStrategy = self.keyDecodingStrategy
            return try decoder.decode(type, from: Data(text))
        }
    }
}

extension DataSnapshot {
    /// What was here, as a value of a type. That nothing was here is an error, but for an optional type.
    public func data<Value: Decodable>(
        as type: Value.Type,
        decoder: Database.Decoder = Database.Decoder()
    ) throws -> Value {
        try decoder.decode(type, text: self.node.text(.plain))
    }
}

extension DatabaseReference {
    /// Encodes the value, then replaces all that is here by it. Does not wait for the server, in asynchronous functions neither:
    /// documented programs call it there. ``setValue(encoding:encoder:)`` waits.
    /// - Throws: What the value's own coding throws, or what cannot be stored.
    public func setValue<Value: Encodable>(
        from value: Value,
        encoder: Database.Encoder = Database.Encoder(),
        completion: (((any Error)?) -> Void)? = nil
    ) throws {
        let encoded = try encoder.encode(value)
        self.setValue(encoded, withCompletionBlock: completion.map { done in { error, _ in done(error) } })
    }

    /// The same, and waits for the server. Throws what encoding throws, before anything is queued.
    @discardableResult
    nonisolated(nonsending) public func setValue<Value: Encodable>(
        encoding value: Value,
        encoder: Database.Encoder = Database.Encoder()
    ) async throws -> DatabaseReference {
        try await self.setValue(try encoder.encode(value))
    }
}
