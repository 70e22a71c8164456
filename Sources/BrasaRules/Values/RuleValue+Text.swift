import BrasaBytes
internal import BrasaDocuments

extension RuleValue {
    /// What `string()` makes of a value; nil for those that have no text.
    func text(_ work: inout Work) throws(EvaluationError) -> RuleText? {
        switch self {
        case .null: return "null"
        case .bool(let bool): return bool ? "true" : "false"
        case .int(let int):
            try work.spend(bytes: 20, .coded)
            return RuleText(UTF8Text(String(int)))
        case .float(let float):
            try work.spend(bytes: 100, .coded)
            return RuleText(UTF8Text(NumberText.text(of: float)))
        case .string(let text): return text
        case .path(let path): return try path.text(&work)
        default: return nil
        }
    }

    /// For people: what an explanation shows of a value, cut off where it grows long.
    package var debugText: String {
        var writer = DebugText()
        writer.write(self, depth: 0)
        return writer.text
    }
}

/// Writes values for people, and looks at no more of them than they are shown.
private struct DebugText {
    private(set) var text = ""
    private var work = Work(100_000)

    private static let lengthMax = 200
    private static let depthMax = 20

    mutating func write(_ value: RuleValue, depth: Int) {
        guard self.text.utf8.count < Self.lengthMax, depth < Self.depthMax else {
            if !self.text.hasSuffix("…") { self.text += "…" }
            return
        }
        switch value {
        case .null, .bool, .int, .float: self.text += (try? value.text(&self.work))?.excerpt ?? ""
        case .path(let path): self.text += path.isOpen ? "\(path.excerpt)/…" : path.excerpt
        case .string(let string): self.text += "\"\(string.excerpt)\""
        case .bytes(let bytes):
            let start = bytes.prefix(Self.lengthMax / 2)
            self.text += "b'\(String(decoding: Hexadecimal.encode(start, .upper), as: UTF8.self))"
            self.text += start.count < bytes.count ? "…'" : "'"
        case .timestamp(let time):
            let date = time.date
            self.text += "timestamp(\(date.year)-\(date.month)-\(date.day) "
            self.text += "\(time.hours):\(time.minutes):\(time.seconds)"
            self.text += time.nanos == 0 ? ")" : " \(time.nanos) ns)"
        case .duration(let duration): self.text += "duration(\(duration.seconds) s, \(duration.nanos) ns)"
        case .latlng(let latitude, let longitude): self.text += "latlng(\(latitude), \(longitude))"
        case .vector(let components): self.text += "vector(\((try? components.count(&self.work)) ?? 0))"
        case .list(let list): self.write(list, "[", "]", depth)
        case .set(let set): self.write(set.list, "set(", ")", depth)
        case .map(let map): self.write(map, depth)
        case .mapDiff(let diff):
            if let keys = try? diff.keys(.affected, &self.work) {
                self.write(keys.list, "map_diff(", ")", depth)
            } else {
                self.text += "map_diff(…)"
            }
        case .constraint(let constraint): self.text += constraint.text.prefix(Self.lengthMax)
        }
    }

    private mutating func write(_ list: RuleList, _ open: String, _ close: String, _ depth: Int) {
        self.text += open
        var cursor = list.cursor
        var separator = ""
        while self.text.utf8.count < Self.lengthMax, let element = (try? cursor.next(&self.work)) ?? nil {
            self.text += separator
            separator = ", "
            self.write(element, depth: depth + 1)
        }
        self.text += close
    }

    private mutating func write(_ map: RuleMap, _ depth: Int) {
        self.text += "{"
        var cursor = map.cursor
        var separator = ""
        while self.text.utf8.count < Self.lengthMax, let entry = (try? cursor.next(&self.work)) ?? nil {
            self.text += "\(separator)\"\(entry.key.excerpt)\": "
            separator = ", "
            self.write(entry.value, depth: depth + 1)
        }
        self.text += map.isOpen ? ", …}" : "}"
    }
}
