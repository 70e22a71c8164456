import BrasaBytes
import BrasaTree

/// Orders, windows and hashes as the reference puts them, on strings and arrays: nothing of the room decides here. (SHA-1
/// and Base64 have tests of their own.)
enum Oracle {
    private static func integer(_ key: String) -> Int? {
        let digits = key.hasPrefix("-") ? key.dropFirst() : key[...]
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(key).flatMap { (-2_147_483_648...2_147_483_647).contains($0) ? $0 : nil }
    }

    static func precedes(_ left: String, _ right: String) -> Bool {
        switch (self.integer(left), self.integer(right)) {
        case (let one?, let other?):
            if one != other { return one < other }
            if left.utf16.count != right.utf16.count { return left.utf16.count < right.utf16.count }
        case (_?, nil): return true
        case (nil, _?): return false
        case (nil, nil): break
        }
        return left.utf16.lexicographicallyPrecedes(right.utf16)
    }

    /// Nothing, false, true, numbers, strings, inner nodes.
    private static func rank(_ value: Model?) -> Int {
        switch value {
        case nil: 0
        case .leaf(.boolean(let value), _)?: value ? 2 : 1
        case .leaf(.integer, _)?, .leaf(.double, _)?: 3
        case .leaf(.string, _)?: 4
        case .inner?: 5
        }
    }

    static func compare(_ left: Model?, _ right: Model?) -> Int {
        switch (left, right) {
        case (.leaf(.string(let left), _)?, .leaf(.string(let right), _)?):
            let (left, right) = (left.string.utf16, right.string.utf16)
            return left.lexicographicallyPrecedes(right) ? -1 : (right.lexicographicallyPrecedes(left) ? 1 : 0)
        case (.leaf(let one, _)?, .leaf(let other, _)?):
            guard let one = one.number, let other = other.number else { break }
            return one < other ? -1 : (one > other ? 1 : 0)
        default: break
        }
        return self.rank(left) - self.rank(right)
    }

    /// A priority as the value that it would be.
    static func value(_ priority: TreePriority) -> Model? { priority.scalar.map { .leaf($0, .none) } }
}

extension Oracle {
    static func simpleHash(_ model: Model?, isAppleOrder: Bool = false) -> String {
        guard let model else { return "" }
        var text = self.priority(model.priority)
        switch model {
        case .leaf(let scalar, _): text += self.scalar(scalar, quoted: false)
        case .inner(let children, _):
            let byKey = children.sorted { self.precedes($0.key.description, $1.key.description) }
            let isByKey = isAppleOrder && children.values.allSatisfy { $0.priority != .none }
            let sorted =
                isByKey
                ? byKey
                : byKey.enumerated().sorted { left, right in
                    let order = self.compare(
                        self.value(left.element.value.priority),
                        self.value(right.element.value.priority)
                    )
                    return order < 0 || order == 0 && left.offset < right.offset
                }.map(\.element)
            for (key, child) in sorted {
                text += ":\(key):\(self.simpleHash(child, isAppleOrder: isAppleOrder))"
            }
        }
        return self.digest(text)
    }

    /// The leaves in key order with the texts that ranges have of them; the priority of an inner node is one before the
    /// first key that comes after its name.
    static func leaves(_ model: Model?, _ segments: [String] = []) -> [(segments: [String], text: String)] {
        switch model {
        case nil: return []
        case .leaf(let scalar, let priority)?:
            let before = self.priority(priority, quoted: true)
            return [(segments, before + self.scalar(scalar, quoted: true))]
        case .inner(let children, let priority)?:
            var leaves: [(segments: [String], text: String)] = []
            var waiting = priority.scalar
            for (key, child) in children.sorted(by: { self.precedes($0.key.description, $1.key.description) }) {
                if let scalar = waiting, self.precedes(".priority", key.description) {
                    leaves.append((segments + [".priority"], self.scalar(scalar, quoted: true)))
                    waiting = nil
                }
                leaves += self.leaves(child, segments + [key.description])
            }
            return leaves
        }
    }

    /// One for each post, and one for what is after the last. Posts are among the leaves, in order.
    static func compoundHashes(_ leaves: [(segments: [String], text: String)], _ posts: [[String]]) -> [String] {
        var rest = leaves[...]
        var hashes: [String] = []
        for post in posts {
            let end = rest.firstIndex { $0.segments == post }.map { $0 + 1 } ?? rest.startIndex
            hashes.append(self.rangeHash(rest[..<end]))
            rest = rest[end...]
        }
        return hashes + [self.rangeHash(rest)]
    }

    private static func rangeHash(_ leaves: ArraySlice<(segments: [String], text: String)>) -> String {
        leaves.isEmpty ? "" : self.digest("(" + self.rangeText(leaves, 0) + ")")
    }

    private static func rangeText(_ leaves: ArraySlice<(segments: [String], text: String)>, _ depth: Int) -> String {
        if let only = leaves.first, only.segments.count == depth { return only.text }
        var parts: [String] = []
        var rest = leaves
        while let first = rest.first {
            let key = first.segments[depth]
            let group = rest.prefix { $0.segments[depth] == key }
            parts.append("\(self.quoted(key)):(\(self.rangeText(group, depth + 1)))")
            rest = rest[group.endIndex...]
        }
        return parts.joined(separator: ",")
    }

    private static func priority(_ priority: TreePriority, quoted: Bool = false) -> String {
        priority.scalar.map { "priority:\(self.scalar($0, quoted: quoted)):" } ?? ""
    }

    private static func scalar(_ scalar: TreeScalar, quoted: Bool) -> String {
        switch scalar {
        case .boolean(let value): return "boolean:\(value)"
        case .string(let text): return "string:" + (quoted ? self.quoted(text.string) : text.string)
        case .integer, .double:
            let digits = String((scalar.number ?? 0).bitPattern, radix: 16)
            return "number:" + String(repeating: "0", count: 16 - digits.count) + digits
        }
    }

    private static func quoted(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }

    private static func digest(_ text: String) -> String {
        String(decoding: Base64.encode(SHA1.digest(Array(text.utf8)), .standard, isPadded: true), as: UTF8.self)
    }
}
