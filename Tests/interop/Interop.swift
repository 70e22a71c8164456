import BrasaFirestore
import Foundation

/// The Swift side of the tests that two client libraries agree: a line of JSON in is a call, a line out its answer, until
/// the input ends. The server's address and the project come from the environment.
@main
enum Interop {
    static func main() async throws {
        let client = InteropClient(firestore: Self.firestore(ProcessInfo.processInfo.environment))
        let (decoder, encoder) = (JSONDecoder(), JSONEncoder())
        while let line = readLine() {
            let call = try decoder.decode(InteropCall.self, from: Data(line.utf8))
            let answer = try encoder.encode(await client.answer(call))
            try FileHandle.standardOutput.write(contentsOf: answer + Data("\n".utf8))
        }
        try await client.firestore.terminate()
    }

    /// A server with TLS is named by `FIRESTORE_HOST`, and its authority by `SSL_CERT_FILE`. A user's token stands in
    /// `FIRESTORE_TOKEN_FILE`, where it is looked for whenever one is wanted.
    private static func firestore(_ environment: [String: String]) -> Firestore {
        let firestore = Firestore.firestore()
        guard let host = environment["FIRESTORE_HOST"] else { return firestore }
        let settings = FirestoreSettings()
        settings.host = host
        settings.trustedRoots = environment["SSL_CERT_FILE"].map { .file($0) }
        if let path = environment["FIRESTORE_TOKEN_FILE"] {
            settings.tokenProvider = { _ in try String(contentsOfFile: path, encoding: .utf8) }
        }
        firestore.settings = settings
        return firestore
    }
}
