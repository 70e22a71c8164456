import BrasaBytes
internal import BrasaDocuments

extension RuleValue {
    /// For people: what an explanation shows of a value, cut off where it grows long.
    package var debugText: String {
        var text = ""
        self.write(to: &text, depth: 0)
        return text
    }

    private static let lengthMax = 200
    private static let depthMax = 20

    private func write(to text: inout String, depth: Int) {
        guard text.utf8.count < Self.lengthMax, depth < Self.depthMax else {
            if !text.hasSuffix("…") { text += "…" }
            return
        }
        switch self {
        case .null, .bool, .int, .float: text += self.text?.string ?? ""
        case .path(let path): Self.write(path.isOpen ? "\(path.text)/…" : path.text, to: &text)
        case .string(let string):
            text += "\""
            Self.write(string.string, to: &text)
            text += "\""
        case .bytes(let bytes):
            text += "b'"
            Self.write(String(decoding: Hexadecimal.encode(bytes, .upper), as: UTF8.self), to: &text)
            text += "'"
        case .timestamp(let time):
            let date = time.date
            text += "timestamp(\(date.year)-\(date.month)-\(date.day) \(time.hours):\(time.minutes):\(time.seconds)"
            text += time.nanos == 0 ? ")" : " \(time.nanos) ns)"
        case .duration(let duration): text += "duration(\(duration.seconds) s, \(duration.nanos) ns)"
        case .latlng(let latitude, let longitude): text += "latlng(\(latitude), \(longitude))"
        case .vector(let components): text += "vector(\(components.count))"
        case .list(let elements): Self.write(elements, "[", "]", to: &text, depth)
        case .set(let set): Self.write(set.elements, "set(", ")", to: &text, depth)
        case .map(let map): Self.write(map.entries, map.isOpen ? ", …}" : "}", to: &text, depth)
        case .mapDiff(let diff): Self.write(diff.keys(.affected).elements, "map_diff(", ")", to: &text, depth)
        case .constraint(let constraint): Self.write(constraint.text, to: &text)
        }
    }

    private static func write(_ long: String, to text: inout String) {
        text += long.prefix(self.lengthMax)
        if text.utf8.count >= self.lengthMax, long.utf8.count > self.lengthMax { text += "…" }
    }

    private static func write(
        _ elements: [RuleValue],
        _ open: String,
        _ close: String,
        to text: inout String,
        _ depth: Int
    ) {
        text += open
        for (index, element) in elements.enumerated() where text.utf8.count < self.lengthMax {
            if index > 0 { text += ", " }
            element.write(to: &text, depth: depth + 1)
        }
        text += close
    }

    private static func write(_ entries: [RuleMap.Entry], _ close: String, to text: inout String, _ depth: Int) {
        text += "{"
        for (index, entry) in entries.enumerated() where text.utf8.count < self.lengthMax {
            if index > 0 { text += ", " }
            text += "\"\(entry.key)\": "
            entry.value.write(to: &text, depth: depth + 1)
        }
        text += close
    }
}
