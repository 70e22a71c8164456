import BrasaTree
import BrasaTreeWire
import Testing

func node(_ text: String) throws -> TreeNode { try TreeTemplate(parsing: Array(text.utf8)).node }
func path(_ text: String) throws -> TreePath { try TreePath(text) }
func query(_ text: String) throws -> TreeQuery { try TreeQuery(wire: JSONValue(parsing: Array(text.utf8))) }

extension TreeConnection.Action {
    var sent: String? { if case .send(let frame) = self { String(decoding: frame, as: UTF8.self) } else { nil } }
    var fault: WireFault? { if case .close(let fault) = self { fault } else { nil } }

    var performed: (ticket: TreeRequest.Ticket, action: TreeAction)? {
        if case .perform(let ticket, let action) = self { (ticket, action) } else { nil }
    }
}

/// Puts a data message into its envelope.
func envelope(_ content: String) -> [UInt8] { Array(#"{"t":"d","d":\#(content)}"#.utf8) }

/// The request that a message is.
func request(_ content: String) throws -> Result<TreeAction, TreeRequestFault> {
    guard case .request(let request) = try ClientMessage(envelope(content)) else { throw Unexpected() }
    return request.action
}

struct Unexpected: Error {}

extension TreeAction {
    var isUnauthenticate: Bool { if case .unauthenticate = self { true } else { false } }
}
