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
    /// Why there is none where a text is no path.
    private let place: Result<TreePath, DatabaseFault>

    init(_ node: TreeNode) {
        self.root = Root(TreeTemplate(node))
        self.place = .success(.root)
    }

    private init(_ root: Root, _ place: Result<TreePath, DatabaseFault>) {
        (self.root, self.place) = (root, place)
    }

    private var template: TreeTemplate {
        switch self.place {
        case .success(let path): self.root.template[path]
        case .failure: TreeTemplate(.absent)
        }
    }

    /// What there is, with something wherever the server works out what.
    private var shape: TreeNode { self.template.resolved(present: .absent, milliseconds: 0) }

    /// What the block has made of it.
    func result() throws(DatabaseFault) -> TreeTemplate {
        if let fault = self.root.fault { throw fault }
        return self.root.template[try self.place.get()]
    }

    private func set(_ make: (TreePath) throws(DatabaseFault) -> TreeTemplate) {
        do throws(DatabaseFault) {
            let path = try self.place.get()
            self.root.template = self.root.template.setting(try make(path), at: path)
        } catch {
            if self.root.fault == nil { self.root.fault = error }
        }
    }

    /// As in ``DataSnapshot/value``; what the server is to work out as it was set. Setting it drops the priority. A value that
    /// cannot be stored fails the transaction.
    public var value: Any? {
        get { ValueWriter.value(self.template.json(.plain)) }
        set { self.set { path throws(DatabaseFault) in try ValueReader.template(newValue, at: path) } }
    }

    /// A string, a number, or `NSNull` for none. Setting it changes nothing where nothing is.
    public var priority: Any? {
        get { ValueWriter.value(self.template.priorityJSON ?? .null) }
        set {
            let json = self.template.json
            self.set { path throws(DatabaseFault) in
                try ValueReader.template(exported: json, priority: newValue, at: path)
            }
        }
    }

    public func hasChildren() -> Bool { self.shape.childCount > 0 }

    /// Whether something is at a path below. Nothing is at what is no path.
    public func hasChild(atPath path: String) -> Bool { !self.childData(byAppendingPath: path).shape.isAbsent }

    /// A part of this one: what is changed in one shows in the other. A text that is no path fails the transaction once
    /// something is changed there.
    public func childData(byAppendingPath path: String) -> MutableData {
        let place = self.place.flatMap { base in
            Result { () throws(DatabaseFault) in
                guard path.contains(where: { $0 != "/" }) else { throw DatabasePlace.emptyPath }
                return try TreeError.faulting { () throws(TreeError) in base.appending(try TreePath(path)) }
            }
        }
        return MutableData(self.root, place)
    }

    public var childrenCount: UInt { UInt(self.shape.childCount) }

    /// The children that there are now, by their priorities.
    public var children: NSEnumerator {
        guard case .success(let path) = self.place, let query = try? TreeQuery(order: .priority) else {
            return NodeEnumerator([])
        }
        let members = TreeWindow(query, of: self.shape).members
        return NodeEnumerator(members.map { MutableData(self.root, .success(path.appending($0.entry.key))) })
    }

    /// Nil at the top.
    public var key: String? { try? self.place.get().last?.description }
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
