package import BrasaIdentity
package import BrasaStore
package import BrasaTree
import BrasaTreeJudging

/// One call of the Realtime Database's REST, whatever it came by.
package struct TreeCall: Sendable {
    package enum Method: String, Sendable {
        case get = "GET"
        case put = "PUT"
        case post = "POST"
        case patch = "PATCH"
        case delete = "DELETE"
    }

    package let method: Method
    package let tree: TreeNamespace
    package let location: TreeLocation
    package let caller: Caller
    /// Of the URL, decoded.
    package var parameters: [TreeQuery.Parameter] = []
    package var body: [UInt8] = []
    package var wantsETag = false
    package var ifMatch: String?
    package var ifNoneMatch: String?

    package init(_ method: Method, _ tree: TreeNamespace, _ location: TreeLocation, by caller: Caller) {
        self.method = method
        self.tree = tree
        self.location = location
        self.caller = caller
    }

    /// Nil when that is no name of a tree.
    package init?(_ method: Method, inTreeNamed name: String, _ location: TreeLocation, by caller: Caller) {
        guard let tree = TreeNamespace(name) else { return nil }
        self.init(method, tree, location, by: caller)
    }

    /// The answer is to be a script, which any page may have run.
    package var wantsScript: Bool { self.parameter("callback") != nil }

    /// The last of that name.
    func parameter(_ name: String) -> String? { self.parameters.last { $0.name == name }?.value }

    /// Who asks; an administrator may ask to be judged as somebody else.
    func identity() throws(TreeCallRefusal) -> TreeIdentity {
        guard let text = self.parameter("auth_variable_override") else { return TreeIdentity(self.caller) }
        switch try? JSONValue(parsing: Array(text.utf8)) {
        case .null?: return TreeIdentity(self.caller, override: .null)
        case .object(let members)?: return TreeIdentity(self.caller, override: .object(members))
        default: throw TreeCallRefusal("auth_variable_override must be an object or null")
        }
    }
}
