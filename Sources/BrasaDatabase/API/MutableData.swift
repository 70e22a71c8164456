internal import BrasaTree
public import Foundation

/// What a transaction's block is given, and changes. For the block alone.
public final class MutableData {
    /// What all parts of one value have in common.
    private final class Root {
        var template: TreeTemplate
        /// The first thing that cannot be stored.
        var fault: DatabaseFault?

        init(_ template: TreeTemplate) {
            self.template = template
        }
    }

    private let root: Root
    private let path: TreePath

    init(_ node: TreeNode) {
        self.root = Root(TreeTemplate(node))
        self.path = .root
    }

    private init(_ root: Root, _ path: TreePath) {
        (self.root, self.path) = (root, path)
    }

    private var node: TreeNode { self.root.template.node[self.path] }

    /// What the block has made of it.
    func result() throws(DatabaseFault) -> TreeTemplate {
        if let fault = self.root.fault { throw fault }
        return self.root.template[self.path]
    }

    private func set(_ value: Any?, priority: Any?? = nil) {
        do throws(DatabaseFault) {
            let template = try ValueReader.template(value, priority: priority, at: self.path)
            self.root.template = self.root.template.setting(template, at: self.path)
        } catch {
            if self.root.fault == nil { self.root.fault = error }
        }
    }

    /// As in ``DataSnapshot/value``. Setting it drops the priority. A value that cannot be stored fails the transaction.
    public var value: Any? {
        get { ValueWriter.value(self.node) }
        set { self.set(newValue) }
    }

    /// A string, a number, or `NSNull` for none. Setting it changes nothing where nothing is.
    public var priority: Any? {
        get { ValueWriter.priority(self.node.priority) }
        set { self.set(ValueWriter.value(self.node, .export), priority: .some(newValue)) }
    }

    public func hasChildren() -> Bool { self.node.childCount > 0 }

    public func hasChild(atPath path: String) -> Bool { !self.childData(byAppendingPath: path).node.isAbsent }

    /// A part of this one: what is changed in one shows in the other. A text that is no path fails the transaction once
    /// something is changed there.
    public func childData(byAppendingPath path: String) -> MutableData {
        do throws(TreeError) {
            return MutableData(self.root, self.path.appending(try TreePath(path)))
        } catch {
            let lost = MutableData(Root(TreeTemplate(.absent)), .root)
            if self.root.fault == nil { self.root.fault = DatabaseFault(error) }
            return lost
        }
    }

    public var childrenCount: UInt { UInt(self.node.childCount) }

    /// The children that there are now.
    public var children: NSEnumerator {
        NodeEnumerator(self.node.children.map { MutableData(self.root, self.path.appending($0.key)) })
    }

    /// Nil at the top.
    public var key: String? { self.path.last?.description }
}

extension TreeTemplate {
    fileprivate subscript(path: TreePath) -> TreeTemplate { path.isRoot ? self : TreeTemplate(self.node[path]) }
}

/// What a transaction's block wants.
public final class TransactionResult {
    let data: MutableData?

    private init(_ data: MutableData?) {
        self.data = data
    }

    /// This value is to be written.
    public class func success(withValue value: MutableData) -> TransactionResult { TransactionResult(value) }

    /// Nothing is to be written. The transaction ends without an error, and is not committed.
    public class func abort() -> TransactionResult { TransactionResult(nil) }
}
