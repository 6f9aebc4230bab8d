pragma circom 2.1.5;
include "utils/messageToCommand.circom";
component main {public [message, encPubKey]} = MessageToCommand();
