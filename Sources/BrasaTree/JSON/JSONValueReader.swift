/// Makes a `JSONValue` of what it is handed.
package struct JSONValueReader: JSONSink {
    package private(set) var value = JSONValue.null
    private var levels: [Level] = []

    private struct Level {
        var isObject: Bool
        var members: [JSONValue.Member] = []
        var elements: [JSONValue] = []
        var key: TreeText = ""
    }

    package typealias Failure = TreeError

    package init() {}

    package var path: TreePath? { nil }

    package mutating func null() { self.deliver(.null) }
    package mutating func scalar(_ value: JSONScalar) { self.deliver(.scalar(value)) }
    package mutating func string(_ text: UnsafeBufferPointer<UInt8>) { self.deliver(.string(TreeText(checked: text))) }
    package mutating func beginObject() { self.levels.append(Level(isObject: true)) }
    package mutating func beginArray() { self.levels.append(Level(isObject: false)) }

    package mutating func key(_ text: UnsafeBufferPointer<UInt8>) throws(TreeError) {
        guard let top = self.levels.indices.last else { return }
        self.levels[top].key = TreeText(checked: text)
    }

    package mutating func endObject() {
        if let level = self.levels.popLast() { self.deliver(.object(level.members)) }
    }

    package mutating func endArray() {
        if let level = self.levels.popLast() { self.deliver(.array(level.elements)) }
    }

    private mutating func deliver(_ value: JSONValue) {
        guard let top = self.levels.indices.last else {
            self.value = value
            return
        }
        if self.levels[top].isObject {
            self.levels[top].members.append(JSONValue.Member(self.levels[top].key, value))
        } else {
            self.levels[top].elements.append(value)
        }
    }
}
