package import BrasaTree

/// What a client's message says.
package enum ClientMessage: Sendable {
    /// Asks for a sign of life.
    case ping
    /// A control message that needs no answer.
    case control
    case request(TreeRequest)
}

package struct TreeRequest: Sendable {
    /// The client's own, to be echoed. They go on over connections.
    package let number: Int64
    /// What cannot be done is refused in an answer: a client waits for one for ever.
    package let action: Result<TreeAction, TreeRequestFault>
}

package enum TreeAction: Sendable {
    /// Which libraries the client is made of.
    case stats(JSONValue)
    case listen(TreeTarget, tag: Int64?, hash: String, compound: CompoundHash?)
    case unlisten(TreeTarget, tag: Int64?)
    /// With a hash, only if what is there still has it.
    case put(TreeWrite, hash: String?)
    case merge(TreeWrite, hash: String?)
    case get(TreeTarget)
    case onDisconnectPut(TreeWrite)
    case onDisconnectMerge(TreeWrite)
    case onDisconnectCancel(TreeLocation)
    case authenticate(TreeCredential)
    case unauthenticate
    case appCheck(token: String)
    case unAppCheck
}

/// What a client says of itself with `auth` and `gauth`.
package struct TreeCredential: Hashable, Sendable {
    package var token: String
    /// By `gauth`: an administrator's token, or `owner`.
    package var isAdministrator: Bool
    /// What administrators ask to be judged as, if not as themselves: null for nobody.
    package var override: JSONValue?

    package init(token: String, isAdministrator: Bool, override: JSONValue? = nil) {
        (self.token, self.isAdministrator, self.override) = (token, isAdministrator, override)
    }
}

/// Why a request is refused before anything is done for it.
package enum TreeRequestFault: Error, Hashable, Sendable {
    case unknownAction(String)
    case malformed(String)
    case data(TreeError)
    case tooManyListens(listensMax: Int)
    /// Longer than messages may be of somebody who is not known.
    case messageTooLong(bytesMax: Int)

    package var status: TreeStatus {
        switch self {
        case .unknownAction: .unknownAction
        case .malformed: .invalidArguments
        case .data(let error): if case .tooManyPaths = error.reason { .tooBig } else { .invalidData }
        case .tooManyListens, .messageTooLong: .tooBig
        }
    }

    package var message: String {
        switch self {
        case .unknownAction(let name): "Unknown action \(name)"
        case .malformed(let member): "Invalid or missing member \(member)"
        case .data(let error): error.description
        case .tooManyListens(let listensMax): "More than \(listensMax) listens"
        case .messageTooLong(let bytesMax): "More than \(bytesMax) bytes of somebody who is not known"
        }
    }
}

/// How a request ended. Clients know the first seven; others are a failure by their name.
package enum TreeStatus: String, Hashable, Sendable {
    case ok
    case permissionDenied = "permission_denied"
    case dataStale = "datastale"
    case invalidToken = "invalid_token"
    case expiredToken = "expired_token"
    case tooBig = "too_big"
    case unavailable
    case invalidData = "invalid_data"
    case invalidArguments = "invalid_arguments"
    case unknownAction = "unknown_action"
    case error
}
