import Dispatch
import Foundation

@testable import BrasaFirestore

extension LocalServer {
    /// A client of its own, as every process has one.
    func client(project: String = "demo-test", through proxy: ChaosProxy? = nil) -> Firestore {
        let settings = FirestoreSettings()
        settings.dispatchQueue = DispatchQueue(label: "handlers")
        let firestore = Firestore(projectID: project, settings: settings)
        firestore.useEmulator(withHost: "127.0.0.1", port: proxy?.port ?? self.port)
        return firestore
    }
}

/// Runs a test with a server and a client of it.
func withServer(_ body: (LocalServer, Firestore) async throws -> Void) async throws {
    let server = try await LocalServer()
    let firestore = server.client()
    try await body(server, firestore)
    try await firestore.terminate()
    try await server.stop()
}
