package import BrasaTreeWire

/// What a step of a link leads to, in order.
package enum LinkAction: Sendable {
    case socket(SocketAction)
    case news(LinkNews)
}

/// For whoever has the network.
package enum SocketAction: Sendable {
    /// A socket of its own, which what comes from it names.
    case connect(LinkAddress, socket: Int)
    /// One text frame, on the newest socket.
    case send([UInt8])
    /// The newest socket is not wanted any more.
    case disconnect
    /// Another token than the last one when that is stale.
    case fetchToken(isRefresh: Bool, fetch: Int)
    case log(String)
}

/// Where to connect to, and how to begin.
package struct LinkAddress: Hashable, Sendable {
    /// Perhaps with a port.
    package let host: String
    /// The session before, which the server is to end.
    package let lastSession: String?
    package let token: String?
}

/// For the client above.
package enum LinkNews: Sendable {
    /// The server has said who it is, and knows who asks. It waits to be told the listens: `TreeLink.resume`.
    case opened
    /// The connection has gone. Transactions that were sent are lost; these were not.
    case lost(unsentTransactions: Set<Int>)
    /// The server's clock.
    case serverTime(Int64)
    case answered(LinkRequest, TreeStatus, ResponseData)
    case pushed(TreePush)
}
