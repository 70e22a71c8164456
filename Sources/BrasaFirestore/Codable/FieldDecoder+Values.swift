internal import Foundation

extension FieldDecoder {
    /// A value of any type, by the rules for types that the database knows.
    func value<T: Decodable>(_ type: T.Type) throws -> T {
        if case .object(let object) = self.content, let same = object as? T { return same }
        let known: Any?
        switch type {
        case is Date.Type: known = try self.date()
        case is Data.Type: known = try self.data()
        case is URL.Type: known = try self.url()
        case is Decimal.Type: known = try self.decimal()
        case is DocumentReference.Type where self.isNull: throw self.mismatch(type)
        case let dictionary as any StringKeyedDecodable.Type: known = try self.dictionary(dictionary)
        default: return try T(from: self)
        }
        guard let value = known as? T else { throw self.mismatch(type) }
        return value
    }

    func boolean() throws -> Bool {
        guard case .boolean(let boolean) = self.content else { throw self.mismatch(Bool.self) }
        return boolean
    }

    func string() throws -> String {
        guard case .string(let text) = self.content else { throw self.mismatch(String.self) }
        return text
    }

    /// A number that the type holds exactly.
    func integer<Number: FixedWidthInteger>(_ type: Number.Type) throws -> Number {
        let number: Number?
        switch self.content {
        case .integer(let integer): number = Number(exactly: integer)
        case .unsigned(let integer): number = Number(exactly: integer)
        case .double(let double): number = Number(exactly: double)
        default: throw self.mismatch(type)
        }
        guard let number else { throw self.corrupted("The number does not fit in \(type).") }
        return number
    }

    /// Any number, perhaps rounded.
    func double() throws -> Double {
        switch self.content {
        case .integer(let integer): return Double(integer)
        case .unsigned(let integer): return Double(integer)
        case .double(let double): return double
        case .string(let text):
            guard let special = self.special(text) else { throw self.mismatch(Double.self) }
            return special
        default: throw self.mismatch(Double.self)
        }
    }

    /// Any number in range, perhaps rounded.
    func float() throws -> Float {
        let double = try self.double()
        let float = Float(double)
        guard float.isFinite || !double.isFinite else { throw self.corrupted("The number does not fit in Float.") }
        return float
    }

    private func special(_ text: String) -> Double? {
        guard case .convertFromString(let positive, let negative, let nan) = self.options.floats else { return nil }
        return text == positive ? .infinity : text == negative ? -.infinity : text == nan ? .nan : nil
    }

    private func date() throws -> Date {
        switch self.options.dates {
        case .deferredToDate: return try Date(from: self)
        case .secondsSince1970: return Date(timeIntervalSince1970: try self.double())
        case .millisecondsSince1970: return Date(timeIntervalSince1970: try self.double() / 1000)
        case .iso8601:
            guard let date = ISO8601DateFormatter().date(from: try self.string()) else {
                throw self.corrupted("The string is no ISO 8601 date.")
            }
            return date
        case .formatted(let formatter):
            guard let date = formatter.date(from: try self.string()) else {
                throw self.corrupted("The string is no date in the formatter's format.")
            }
            return date
        case .custom(let read): return try read(self)
        }
    }

    private func data() throws -> Data {
        switch self.options.data {
        case .deferredToData: return try Data(from: self)
        case .custom(let read): return try read(self)
        case .base64, .blob: break
        }
        switch self.content {
        case .bytes(let data): return data
        case .string(let text):
            guard let data = Data(base64Encoded: text) else { throw self.corrupted("The string is not base64.") }
            return data
        default: throw self.mismatch(Data.self)
        }
    }

    private func url() throws -> URL {
        guard let url = URL(string: try self.string()) else { throw self.corrupted("The string is no URL.") }
        return url
    }

    private func decimal() throws -> Decimal {
        switch self.content {
        case .integer(let integer): return Decimal(integer)
        case .unsigned(let integer): return Decimal(integer)
        default:
            let double = try self.double()
            // `Decimal` stops the program at infinities, and makes what is too large or too small for it no number.
            let decimal = double.isInfinite ? .nan : Decimal(double)
            guard double.isNaN || !decimal.isNaN else { throw self.corrupted("The number does not fit in Decimal.") }
            return decimal
        }
    }

    /// A dictionary's keys are data, which no key strategy changes.
    private func dictionary(_ type: any StringKeyedDecodable.Type) throws -> Any {
        guard case .map(let map) = self.content else { throw self.mismatch(type) }
        return try type.make(map.map { ($0.key, self.nested($0.value, at: AnyCodingKey(stringValue: $0.key))) })
    }
}

/// A dictionary by strings of values that can be read.
protocol StringKeyedDecodable {
    static func make(_ elements: [(key: String, decoder: FieldDecoder)]) throws -> Any
}

extension Dictionary: StringKeyedDecodable where Key == String, Value: Decodable {
    static func make(_ elements: [(key: String, decoder: FieldDecoder)]) throws -> Any {
        var dictionary = [String: Value](minimumCapacity: elements.count)
        for element in elements { dictionary[element.key] = try element.decoder.value(Value.self) }
        return dictionary
    }
}
