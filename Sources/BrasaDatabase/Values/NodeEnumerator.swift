internal import Foundation

/// Goes through a list once.
final class NodeEnumerator: NSEnumerator {
    private var elements: ArraySlice<Any>

    init(_ elements: [Any]) {
        self.elements = elements[...]
    }

    override func nextObject() -> Any? { self.elements.popFirst() }
}
