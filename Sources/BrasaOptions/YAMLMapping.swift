/// A YAML document that is one mapping of names to scalars, each on a line of its own, which is all that settings need. What
/// is read has the meaning that YAML gives it; the rest of the language is refused. Values are texts: what type one has is
/// said by the setting.
package enum YAMLMapping {
    package struct Entry: Hashable, Sendable {
        package let name: String
        package let value: String
        /// From 1.
        package let line: Int

        package init(name: String, value: String, line: Int) {
            self.name = name
            self.value = value
            self.line = line
        }
    }

    /// What a line is that cannot be read.
    package struct Flaw: Error, Hashable, Sendable, CustomStringConvertible {
        package let line: Int
        package let description: String

        package init(_ line: Int, _ description: String) {
            self.line = line
            self.description = description
        }
    }

    private static let nulls: Set<String> = ["~", "null", "Null", "NULL"]

    /// In the order of the lines, no two of one name.
    package static func parse(_ text: String) throws(Flaw) -> [Entry] {
        var entries: [Entry] = []
        var lines: [String: Int] = [:]
        var isBegun = false
        for (index, line) in text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let number = index + 1
            let content = line.last == "\r" ? line.dropLast() : line
            if let control = content.first(where: { self.isRefused($0) }) {
                throw Flaw(number, "the character U+\(String(control.value, radix: 16, uppercase: true)) stands in it")
            }
            guard let first = content.first(where: { !self.isBlank($0) }), first != "#" else { continue }
            if !isBegun, self.isMarker(content) {
                isBegun = true
                continue
            }
            isBegun = true
            let entry = try self.entry(content, number)
            if let other = lines.updateValue(number, forKey: entry.name) {
                throw Flaw(number, "\(entry.name) stands in line \(other), too")
            }
            entries.append(entry)
        }
        return entries
    }

    private static func entry(_ content: Substring.UnicodeScalarView, _ number: Int) throws(Flaw) -> Entry {
        let form = "a line is as in `max-memory: 2G`"
        let name = content.prefix { self.isLetter($0) || ("0"..."9").contains($0) || $0 == "-" || $0 == "_" }
        let rest = content.dropFirst(name.count)
        guard name.contains(where: { self.isLetter($0) }), rest.first == ":" else { throw Flaw(number, form) }
        let behind = rest.dropFirst()
        guard behind.first.map({ self.isBlank($0) }) ?? true else {
            throw Flaw(number, "\(form), with a space behind the colon")
        }
        var scalar = YAMLScalar(behind, line: number)
        guard let value = try scalar.read(), value.isQuoted || !self.nulls.contains(value.text) else {
            throw Flaw(number, "\(String(name)) has no value")
        }
        return Entry(name: String(name), value: value.text, line: number)
    }

    static func isBlank(_ scalar: Unicode.Scalar) -> Bool { scalar == " " }

    private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
        ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar)
    }

    /// The beginning of a document.
    private static func isMarker(_ content: Substring.UnicodeScalarView) -> Bool {
        guard content.starts(with: "---".unicodeScalars) else { return false }
        let behind = content.dropFirst(3)
        guard let first = behind.first(where: { !self.isBlank($0) }) else { return true }
        return first == "#" && behind.first.map { self.isBlank($0) } == true
    }

    /// What YAML has no place for unescaped, what looks like nothing, and tabs, which YAML takes here and not there.
    private static func isRefused(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned, .surrogate: true
        default: false
        }
    }

    // MARK: Writing

    /// A value as `parse` reads it: bare where that is the same, else in quotes.
    package static func format(_ value: String) -> String {
        if let entries = try? self.parse("v: \(value)"), entries.map(\.value) == [value] { return value }
        var quoted = "\""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted += "\\\(scalar)"
            case _ where self.isRefused(scalar):
                let digits = String(scalar.value, radix: 16)
                quoted += "\\U" + String(repeating: "0", count: 8 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
