/// `path = segment *( "." segment )`, a segment being a simple name or any text in backquotes with `\` as the escape.
enum FieldPathGrammar {
    /// Nil when the bytes, which are valid UTF-8 and not empty, are no path.
    static func names(in path: [UInt8]) -> [UTF8Text]? {
        var names: [UTF8Text] = []
        var index = 0
        while true {
            guard index < path.count else { return nil }
            let name =
                path[index] == UInt8(ascii: "`") ? self.quoted(in: path, at: &index) : self.simple(in: path, at: &index)
            guard let name else { return nil }
            names.append(UTF8Text(validated: name))
            if index == path.count { return names }
            guard path[index] == UInt8(ascii: ".") else { return nil }
            index += 1
        }
    }

    static func quotedIfNeeded(_ name: UTF8Text) -> String {
        var index = 0
        if self.simple(in: name.bytes, at: &index) != nil, index == name.bytes.count { return name.string }
        var quoted: [UInt8] = [UInt8(ascii: "`")]
        for byte in name.bytes {
            if byte == UInt8(ascii: "`") || byte == UInt8(ascii: "\\") { quoted.append(UInt8(ascii: "\\")) }
            quoted.append(byte)
        }
        quoted.append(UInt8(ascii: "`"))
        return String(decoding: quoted, as: UTF8.self)
    }

    private static func simple(in path: [UInt8], at index: inout Int) -> [UInt8]? {
        let start = index
        while index < path.count, self.isSimple(path[index], isFirst: index == start) { index += 1 }
        return index > start ? Array(path[start..<index]) : nil
    }

    private static func isSimple(_ byte: UInt8, isFirst: Bool) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"): !isFirst
        default: false
        }
    }

    private static func quoted(in path: [UInt8], at index: inout Int) -> [UInt8]? {
        var name: [UInt8] = []
        index += 1
        while index < path.count {
            switch path[index] {
            case UInt8(ascii: "`"):
                index += 1
                return name.isEmpty ? nil : name
            case UInt8(ascii: "\\"):
                guard index + 1 < path.count else { return nil }
                name.append(path[index + 1])
                index += 2
            case let byte:
                name.append(byte)
                index += 1
            }
        }
        return nil
    }
}
