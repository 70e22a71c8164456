package import BrasaGRPC
package import NIOCore

/// The service's methods over one connection, by name and with typed messages (the methods are generated). Used on the
/// connection's event loop, where every closure is called too.
package struct FirestoreClientStub {
    let calls: TypedCalls

    package var connection: GRPCClientConnection { self.calls.connection }

    /// `metadata` and `timeout` go with every call.
    package init(_ connection: GRPCClientConnection, metadata: GRPCMetadata? = nil, timeout: TimeAmount? = nil) {
        self.calls = TypedCalls(FirestoreMethods.all, connection, metadata: metadata, timeout: timeout)
    }
}

/// The methods of `brasa.admin.v1.Admin` over one connection, in the same way.
package struct AdminClientStub {
    let calls: TypedCalls

    /// `metadata` and `timeout` go with every call.
    package init(_ connection: GRPCClientConnection, metadata: GRPCMetadata? = nil, timeout: TimeAmount? = nil) {
        self.calls = TypedCalls(AdminMethods.all, connection, metadata: metadata, timeout: timeout)
    }
}
