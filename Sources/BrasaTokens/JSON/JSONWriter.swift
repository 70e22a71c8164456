import BrasaIdentity

/// Writes JSON, members in the order given, one a line at the top.
struct JSONWriter {
    private(set) var text = ""

    static func object(_ members: [(String, JSONWriter)]) -> JSONWriter {
        let lines = members.map { "  \(Self.quoted($0.0)): \($0.1.text.replacing("\n", with: "\n  "))" }
        return JSONWriter(text: lines.isEmpty ? "{}" : "{\n\(lines.joined(separator: ",\n"))\n}")
    }

    static func list(_ elements: [JSONWriter]) -> JSONWriter {
        let lines = elements.map { "  " + $0.text.replacing("\n", with: "\n  ") }
        return JSONWriter(text: lines.isEmpty ? "[]" : "[\n\(lines.joined(separator: ",\n"))\n]")
    }

    static func string(_ string: String) -> JSONWriter { JSONWriter(text: Self.quoted(string)) }
    static func integer(_ integer: Int64) -> JSONWriter { JSONWriter(text: String(integer)) }
    static func bool(_ bool: Bool) -> JSONWriter { JSONWriter(text: bool ? "true" : "false") }

    private static func quoted(_ string: String) -> String {
        var text = "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\u{0}"..<"\u{20}":
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text + "\""
    }
}
