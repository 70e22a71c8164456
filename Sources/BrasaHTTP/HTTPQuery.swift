import BrasaBytes

/// The parameters of a target, as forms write them, as names and values.
package enum HTTPQuery {
    /// Decoded, in their order. What is no UTF-8, or badly encoded, is left out.
    package static func parameters(_ query: Substring) -> [HTTPField] {
        query.split(separator: "&").compactMap { part in
            let name = part.prefix { $0 != "=" }
            let value = part.dropFirst(name.count).dropFirst()
            guard let decodedName = Self.decode(name), let decodedValue = Self.decode(value) else { return nil }
            return HTTPField(decodedName, decodedValue)
        }
    }

    private static func decode(_ text: Substring) -> String? {
        PercentEncoding.decode(text.utf8, plusIsSpace: true).flatMap { String(validating: $0, as: UTF8.self) }
    }
}
