import BrasaBytes

/// The parameters of a target, as forms write them, as names and values.
package enum HTTPQuery {
    /// Decoded, in their order. Nil where one is no UTF-8, or badly encoded: without it the others may say something else.
    package static func parameters(_ query: Substring) -> [HTTPField]? {
        var fields: [HTTPField] = []
        for part in query.split(separator: "&") {
            let name = part.prefix { $0 != "=" }
            let value = part.dropFirst(name.count).dropFirst()
            guard let decodedName = Self.decode(name), let decodedValue = Self.decode(value) else { return nil }
            fields.append(HTTPField(decodedName, decodedValue))
        }
        return fields
    }

    private static func decode(_ text: Substring) -> String? {
        PercentEncoding.decode(text.utf8, plusIsSpace: true).flatMap { String(validating: $0, as: UTF8.self) }
    }
}
